import { type LogFn, pino } from 'pino'
import type { Log } from '../../base/core/log.ts'
import { formatTime } from './json-line.ts'
import { formatForPeople } from './pretty-line.ts'
import { createStderrWriter, type WriteStderr } from './stderr-writer.ts'

/** The log of the process, on stderr. */
export interface ProcessLog extends Log {
  /** Writes all buffered lines as far as they are read within a second; the process may exit afterwards. */
  flush(): void
}

/** The most milliseconds that `flush` waits for the reader of stderr, who may never read. */
const flushDeadlineMs = 1000

/** The number of lines that are formatted and written together; a batch halves the time per line. */
const batchSize = 64

/** The milliseconds after which an incomplete batch is written. */
const flushIntervalMs = 50

/** A log call that waits for its batch. `at`: the time of the call, epoch milliseconds. */
interface LogCall {
  readonly args: Parameters<LogFn>
  readonly method: LogFn
  readonly at: number
}

/** The form of the lines: for people, with colours or without, or one JSON object per line. */
type LineFormat = 'colored' | 'plain' | 'json'

/** Creates the log. `now`: epoch milliseconds. `write`: to stderr. */
export function createLog(level: string, lineFormat: LineFormat, now: () => number, write: WriteStderr): ProcessLog {
  const stderr = createStderrWriter(write)
  const format =
    lineFormat === 'json'
      ? (line: string) => line
      : (line: string) => `${formatForPeople(line, lineFormat === 'colored')}\n`
  // The text of the current batch and the time of its current line.
  let text = ''
  let time = 0
  const lines = {
    write(line: string) {
      text += format(line)
    },
  }
  const calls = createBatches<LogCall>((batch) => {
    for (const { args, method, at } of batch) {
      time = at
      method.apply(log, args)
    }
    if (text !== '') stderr.write(escapeHighControls(text))
    text = ''
    reportLostLines()
  })
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${formatTime(time)}"`,
      formatters: { level: (name) => ({ level: name }) },
      hooks: { logMethod: (args, method) => calls.add({ args, method, at: now() }) },
    },
    lines,
  )
  const reportLostLines = () => {
    const lines = stderr.takeLostLines()
    if (lines > 0) log.warn({ lines }, 'lines of the log are lost: stderr was not read in time')
  }
  const flush = () => {
    calls.flush()
    stderr.flush(flushDeadlineMs)
    reportLostLines()
    calls.flush()
    stderr.flush(0)
  }
  return Object.assign(log, { flush })
}

/** Escapes the control characters that JSON leaves: some terminals carry out U+009B as the start of a command. */
function escapeHighControls(text: string): string {
  return text.replace(/[\x7f-\x9f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
}

/** Collects items for `write`: `batchSize` of them, or fewer after `flushIntervalMs` and on `flush`. */
function createBatches<Item>(write: (batch: readonly Item[]) => void) {
  let batch: Item[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const complete = batch
    batch = []
    write(complete)
  }
  return {
    flush,
    add(item: Item) {
      if (batch.push(item) === batchSize) flush()
      else timer ??= setTimeout(flush, flushIntervalMs)
    },
  }
}
