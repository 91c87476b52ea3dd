import { type DestinationStream, destination, pino } from 'pino'
import type { Log } from './log.ts'

/** A log of the process, on stderr. */
export interface ProcessLog extends Log {
  /** Writes out what is buffered; the process may end after it. */
  flush(): void
}

/** As much waits for a reader of stderr, bytes. A process that nobody listens to must not grow for it. */
const mostWaiting = 8 * 1024 * 1024

/** Lines are written together, so many characters of them, since a write costs as much as a tenth of an answer. */
const together = 32 * 1024

/** But none waits longer than this, milliseconds. */
const longest = 50

/** `pretty` for people, else one JSON object a line. The pretty printer is loaded only where it is used. */
export async function createLog(level: string, pretty: boolean): Promise<ProcessLog> {
  const stderr = destination({ dest: 2, sync: false, maxLength: mostWaiting })
  const gathered = gathering(stderr)
  const stream: DestinationStream = pretty
    ? (await import('pino-pretty')).default({ destination: stderr, ignore: 'pid,hostname', singleLine: true })
    : gathered
  const log = pino({ level, base: null }, stream)
  let lost = 0
  stderr.on('drop', (lines: string) => {
    lost += lines.split('\n').length - 1
  })
  stderr.on('drain', () => {
    if (lost > 0) log.warn({ lines: lost }, 'lines of the log are lost: nobody read them in time')
    lost = 0
  })
  const flush = () => {
    gathered.flush()
    stderr.flushSync()
  }
  return Object.assign(log, { flush })
}

/** Gathers lines for another stream, until it is told to write them, there are enough, or the first has waited long enough. */
function gathering(out: DestinationStream): DestinationStream & { flush(): void } {
  let lines: string[] = []
  let length = 0
  let due: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(due)
    due = undefined
    if (length > 0) out.write(lines.join(''))
    lines = []
    length = 0
  }
  return {
    flush,
    write(line) {
      lines.push(line)
      length += line.length
      if (length >= together) flush()
      else due ??= setTimeout(flush, longest)
    },
  }
}
