import { type LogFn, pino } from 'pino'
import type { Log } from '../../base/core/log.ts'
import { memoizeLast } from '../../base/core/memoize.ts'
import { formatForPeople } from './pretty-line.ts'

export interface ProcessLog extends Log {
  /** Writes the buffered lines. Drops lines that are not read within a second, so that the process can exit. */
  flush(): void
}

/** Writes some or all of the bytes and returns the number written. Throws an EAGAIN error if none can be written. */
export type WriteStderr = (bytes: Uint8Array) => number

/** Lines in a batch often have the same timestamp; without this cache, a request takes 2 µs longer. */
const formatTime = memoizeLast((time: number) => new Date(time).toISOString())

/** The maximum time in milliseconds that `flush` waits for a reader of stderr. */
const flushDeadlineMs = 1000

/** The maximum number of lines formatted and written together. Batching halves the time per line. */
const batchSize = 64

/** The time in milliseconds after which an incomplete batch is written. */
const flushIntervalMs = 50

/** Creates the log: text, with or without colors, or one JSON object per line. `now` returns epoch milliseconds. */
export function createLog(
  level: string,
  lineFormat: 'colored' | 'plain' | 'json',
  now: () => number,
  writeBytes: WriteStderr,
): ProcessLog {
  const stderr = createStderrWriter(writeBytes)
  /** The pending log calls. `at` is the time of the call in epoch milliseconds. */
  let batch: { args: Parameters<LogFn>; method: LogFn; at: number }[] = []
  let timer: NodeJS.Timeout | undefined
  // The text of the current batch and the time of its current line.
  let text = ''
  let time = 0

  function add(call: (typeof batch)[number]): void {
    if (batch.push(call) === batchSize) writeBatch()
    else timer ??= setTimeout(writeBatch, flushIntervalMs)
  }

  function writeBatch(): void {
    clearTimeout(timer)
    timer = undefined
    const calls = batch
    batch = []
    for (const { args, method, at } of calls) {
      time = at
      method.apply(log, args)
    }
    if (text !== '') stderr.write(escapeHighControls(text))
    text = ''
    const lines = stderr.takeLostLines()
    if (lines > 0) log.warn({ lines }, 'log lines were lost, since stderr was not read in time')
  }

  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${formatTime(time)}"`,
      formatters: { level: (name) => ({ level: name }) },
      hooks: { logMethod: (args, method) => add({ args, method, at: now() }) },
    },
    {
      write(line: string) {
        text += lineFormat === 'json' ? line : `${formatForPeople(line, lineFormat === 'colored')}\n`
      },
    },
  )
  const flush = () => {
    writeBatch()
    stderr.flush(flushDeadlineMs)
    writeBatch() // logs how many lines did not fit in the buffer, if any
    writeBatch() // writes that log line
    stderr.flush(0)
  }
  return Object.assign(log, { flush })
}

/** Escapes control characters that JSON does not, such as U+009B, which starts a control sequence on some terminals. */
function escapeHighControls(text: string): string {
  return text.replace(/[\x7f-\x9f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
}

/** The maximum number of bytes buffered for a slow reader; further lines are dropped to limit memory use. */
const maxQueuedBytes = 8 * 1024 * 1024

/** The pause in milliseconds before writing to a full pipe again. */
const retryMs = 5

/** Memory that never changes. Waiting for it to change, with a timeout, is a synchronous sleep. */
const sleeper = new Int32Array(new SharedArrayBuffer(4))

/**
 * Creates a writer for stderr. While stderr is read slowly, text is buffered up to a limit; if stderr is closed, text
 * is dropped. In both cases, the process can exit; sonic-boom, pino's own writer, would retry indefinitely.
 */
function createStderrWriter(writeBytes: WriteStderr) {
  let queue: Buffer[] = []
  let queuedBytes = 0
  let lostLines = 0
  let timer: NodeJS.Timeout | undefined

  function writeQueue(): void {
    clearTimeout(timer)
    timer = undefined
    try {
      for (let first = queue[0]; first; first = queue[0]) {
        const written = writeBytes(first)
        queuedBytes -= written
        if (written < first.length) queue[0] = first.subarray(written)
        else queue.shift()
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN') timer = setTimeout(writeQueue, retryMs).unref()
      else drop()
    }
  }

  function drop(): void {
    clearTimeout(timer)
    timer = undefined
    queue = []
    queuedBytes = 0
  }

  return {
    write(text: string): void {
      const bytes = Buffer.from(text)
      if (queuedBytes + bytes.length > maxQueuedBytes) {
        lostLines += text.split('\n').length - 1
        return
      }
      queue.push(bytes)
      queuedBytes += bytes.length
      if (!timer) writeQueue()
    },
    /** Returns and resets the number of lines that did not fit in the buffer. Until the buffer is empty, returns 0. */
    takeLostLines(): number {
      if (queue.length > 0) return 0
      const lost = lostLines
      lostLines = 0
      return lost
    },
    /** Writes buffered text synchronously for at most `ms` milliseconds, then drops the rest. */
    flush(ms: number): void {
      writeQueue()
      for (let waited = 0; queue.length > 0 && waited < ms; waited += retryMs) {
        Atomics.wait(sleeper, 0, 0, retryMs)
        writeQueue()
      }
      drop()
    },
  }
}
