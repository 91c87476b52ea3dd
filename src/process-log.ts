import { type DestinationStream, destination, pino } from 'pino'
import type { Log } from './log.ts'

/** A log of the process, on stderr. */
export interface ProcessLog extends Log {
  /** Writes out what is buffered; the process may end after it. */
  flush(): void
}

/** As much waits for a reader of stderr, bytes. A process that nobody listens to must not grow for it. */
const mostWaiting = 8 * 1024 * 1024

/** `pretty` for people, else one JSON object a line. The pretty printer is loaded only where it is used. */
export async function createLog(level: string, pretty: boolean): Promise<ProcessLog> {
  // Written together, since each write costs as much as a tenth of an answer; but none waits longer than that.
  const stderr = destination({
    dest: 2,
    sync: false,
    minLength: 8192,
    maxWrite: 16_384,
    periodicFlush: 50,
    maxLength: mostWaiting,
  })
  const stream: DestinationStream = pretty
    ? (await import('pino-pretty')).default({ destination: stderr, ignore: 'pid,hostname', singleLine: true })
    : stderr
  const log = pino({ level, base: null }, stream)
  let lost = 0
  stderr.on('drop', () => {
    lost += 1
  })
  stderr.on('drain', () => {
    if (lost > 0) log.warn({ lines: lost }, 'lines of the log are lost: nobody read them in time')
    lost = 0
  })
  return Object.assign(log, { flush: () => stderr.flushSync() })
}
