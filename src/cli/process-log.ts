import { destination, type LogFn, pino } from 'pino'
import type { Log } from '../core/log.ts'

/** A log of the process, on stderr. */
export interface ProcessLog extends Log {
  /** Writes out what is buffered; the process may end after it. */
  flush(): void
}

/** As much waits for a reader of stderr, bytes. A process that nobody listens to must not grow for it. */
const mostWaiting = 8 * 1024 * 1024

/** So many lines are made and written together: one behind the other they take half of the time. */
const batchSize = 64

/** But none waits longer than this. */
const flushIntervalMs = 50

/** A line that is to be made, with the time that it is of. */
interface Call {
  readonly args: Parameters<LogFn>
  readonly method: LogFn
  readonly at: number
}

/** `pretty` for people, else one JSON object a line, with the time of `now`, epoch milliseconds. */
export async function createLog(level: string, pretty: boolean, now: () => number): Promise<ProcessLog> {
  const stderr = destination({ dest: 2, sync: false, maxLength: mostWaiting })
  const shown = pretty ? await prettyPrinter() : (line: string) => line
  // The text of the batch that is being made, and the time of its line that is.
  let text = ''
  let time = 0
  const lines = {
    write(line: string) {
      text += shown(line)
    },
  }
  const calls = batches<Call>((batch) => {
    for (const { args, method, at } of batch) {
      time = at
      method.apply(log, args)
    }
    if (text !== '') stderr.write(text)
    text = ''
  })
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":${time}`,
      hooks: { logMethod: (args, method) => calls.add({ args, method, at: now() }) },
    },
    lines,
  )
  let lost = 0
  stderr.on('drop', (dropped: string) => {
    lost += dropped.split('\n').length - 1
  })
  stderr.on('drain', () => {
    if (lost > 0) log.warn({ lines: lost }, 'lines of the log are lost: nobody read them in time')
    lost = 0
  })
  const flush = () => {
    calls.flush()
    stderr.flushSync()
  }
  return Object.assign(log, { flush })
}

/** Loaded only where it is used. Not as a stream, which would still have lines in it when the process ends. */
async function prettyPrinter(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty')
  return prettyFactory({ ignore: 'pid,hostname', singleLine: true })
}

/** Gathers items until there are enough, the first has waited long enough, or somebody flushes. */
function batches<Item>(take: (batch: readonly Item[]) => void) {
  let batch: Item[] = []
  let due: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(due)
    due = undefined
    const all = batch
    batch = []
    take(all)
  }
  return {
    flush,
    add(item: Item) {
      if (batch.push(item) === batchSize) flush()
      else due ??= setTimeout(flush, flushIntervalMs)
    },
  }
}
