import { pluralize } from '../../reports/report.ts'
import { isBad, type JudgedRun } from '../report/suite-report.ts'

/** The line on a terminal that shows how far the runs are. */
export interface Progress {
  /** Shows the number of ended runs and findings, and the time that is left. */
  update(judged: readonly JudgedRun[]): void
  /** Counts a run that is made once more, and shows it. */
  repeat(): void
  /** Removes the line. */
  clear(): void
}

/** The codes that remove the line of a terminal. */
const clearLine = '\r\u001b[2K'

/** Creates the line. `write`: writes to the terminal; undefined: there is none. `total`: all runs. `deadline`: see `isOver`, milliseconds by `elapsed`. */
export function createProgress(
  write: ((text: string) => void) | undefined,
  total: number,
  elapsed: () => number,
  deadline: number | undefined,
): Progress {
  const begun = elapsed()
  let last: readonly JudgedRun[] = []
  let repeated = 0
  const show = () => {
    const ended = last.length
    const findings = last.filter(({ verdict }) => isBad(verdict)).length
    const perRun = ended === 0 ? undefined : (elapsed() - begun) / ended
    const leftMs = perRun && Math.min(perRun * (total - ended), (deadline ?? Infinity) - elapsed())
    const left = leftMs === undefined ? '' : `, ${formatLeft(leftMs)} left`
    const twice = repeated === 0 ? '' : `, ${repeated} of them made twice`
    const run = `run ${Math.min(ended + 1, total)} of ${total}${twice}`
    write?.(`${clearLine}convsim: ${run}, ${pluralize(findings, 'finding')}${left}`)
  }
  return {
    update(judged) {
      last = judged
      show()
    },
    repeat() {
      repeated += 1
      show()
    },
    clear: () => write?.(clearLine),
  }
}

/** Shows a line with the seconds since now, until the returned function is called. `title`: `run 1 of 2 without faults`. */
export function showPlainProgress(
  {
    terminal,
    elapsed,
  }: { readonly terminal?: ((text: string) => void) | undefined; readonly elapsed: () => number },
  title: string,
): () => void {
  if (!terminal) return () => undefined
  const begun = elapsed()
  const show = () => terminal(`${clearLine}convsim: ${title}, ${Math.floor((elapsed() - begun) / 1000)} s`)
  show()
  const timer = setInterval(show, 1000)
  return () => {
    clearInterval(timer)
    terminal(clearLine)
  }
}

function formatLeft(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
