import { pluralize } from '../../../server/reports/report.ts'
import type { JudgedRun } from '../report/suite-report.ts'
import { findingOf } from '../report/verdict.ts'

/** The line of a terminal that shows how far the runs are. */
export interface StatusLine {
  /** Replaces the line: `run 3 of 10, 1 finding, 16 s left`. */
  show(text: string): void
  clear(): void
}

/** Creates the line, which only a terminal shows. `stderr`: undefined where a line for people would be in the way. */
export function createStatusLine(stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> | undefined): StatusLine {
  const terminal = stderr?.isTTY ? stderr : undefined
  const clearLine = '\r\u001b[2K'
  let isShown = false
  return {
    show(text) {
      isShown = true
      terminal?.write(`${clearLine}convsim: ${text}`)
    },
    clear() {
      if (isShown) terminal?.write(clearLine)
      isShown = false
    },
  }
}

/** Shows a title with the seconds until the returned function is called: `run 1 of 2 without faults, 4 s`. */
export function showSeconds({ show, clear }: StatusLine, title: string, elapsed: () => number): () => void {
  const begun = elapsed()
  const showNow = () => show(`${title}, ${Math.floor((elapsed() - begun) / 1000)} s`)
  showNow()
  const timer = setInterval(showNow, 1000)
  return () => {
    clearInterval(timer)
    clear()
  }
}

/**
 * Describes how far the runs of `each` are: `run 3 of 10, 1 of them made twice, 1 finding, 16 s left`. The times are
 * milliseconds since the first run, and until the end of `--time`.
 */
export function describeProgress(
  judged: ReadonlyMap<unknown, JudgedRun>,
  { total, repeated, sinceMs, untilMs }: Readonly<Record<'total' | 'repeated' | 'sinceMs' | 'untilMs', number>>,
): string {
  const ended = judged.size
  const findings = [...judged.values()].filter(({ verdict }) => findingOf(verdict)).length
  const left = ended === 0 ? '' : formatLeft(Math.min((sinceMs / ended) * (total - ended), untilMs))
  const twice = repeated === 0 ? '' : `, ${repeated} of them made twice`
  return `run ${Math.min(ended + 1, total)} of ${total}${twice}, ${pluralize(findings, 'finding')}${left}`
}

function formatLeft(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return seconds < 120 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`
}
