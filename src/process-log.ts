import { type DestinationStream, destination, type LogFn, pino } from 'pino'
import type { Log } from './log.ts'

/** A log of the process, on stderr. */
export interface ProcessLog extends Log {
  /** Writes out what is buffered; the process may end after it. */
  flush(): void
}

/** As much waits for a reader of stderr, bytes. A process that nobody listens to must not grow for it. */
const mostWaiting = 8 * 1024 * 1024

/** So many lines are made and written together: in a row that takes half of the time. */
const mostTogether = 64

/** But none waits longer than this, milliseconds. */
const longest = 50

/** A line that is to be made, with the time that it is of. */
interface Call {
  readonly args: Parameters<LogFn>
  readonly method: LogFn
  readonly at: number
}

/**
 * `pretty` for people, else one JSON object a line, with the time of `now`, epoch milliseconds. The pretty printer is loaded only where
 * it is used.
 */
export async function createLog(level: string, pretty: boolean, now: () => number): Promise<ProcessLog> {
  const stderr = destination({ dest: 2, sync: false, maxLength: mostWaiting })
  let text = ''
  const stream: DestinationStream = pretty
    ? (await import('pino-pretty')).default({ destination: stderr, ignore: 'pid,hostname', singleLine: true })
    : {
        write: (line) => {
          text += line
        },
      }
  let time = 0
  const calls = gathering<Call>((all) => {
    for (const { args, method, at } of all) {
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
    stream,
  )
  let lost = 0
  stderr.on('drop', (lines: string) => {
    lost += lines.split('\n').length - 1
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

/** Gathers items for a function, until it is told to give them out, there are enough, or the first has waited long enough. */
function gathering<Item>(giveOut: (items: readonly Item[]) => void) {
  let items: Item[] = []
  let due: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(due)
    due = undefined
    const all = items
    items = []
    giveOut(all)
  }
  return {
    flush,
    add(item: Item) {
      if (items.push(item) === mostTogether) flush()
      else due ??= setTimeout(flush, longest)
    },
  }
}
