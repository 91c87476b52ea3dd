/** The most bytes that wait for a slow reader; further lines are dropped, so that memory stays bounded. */
const maxWaitingBytes = 8 * 1024 * 1024

/** The pause before a full pipe is tried again, milliseconds. */
const retryMs = 5

/** Writes a part of the bytes, and returns their number; throws EAGAIN if the reader takes none now. */
export type WriteStderr = (bytes: Uint8Array) => number

/**
 * Creates a writer to stderr. A slow reader gets text later, up to a bound; a reader that is gone gets nothing. Neither
 * stops the process: sonic-boom, the writer of pino, tries for ever at the end.
 */
export function createStderrWriter(writeBytes: WriteStderr) {
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let lostLines = 0
  let timer: NodeJS.Timeout | undefined

  /** Writes as much as the reader takes now; the rest waits. */
  function writeWaiting(): void {
    clearTimeout(timer)
    timer = undefined
    try {
      for (let first = waiting[0]; first; first = waiting[0]) {
        const written = writeBytes(first)
        waitingBytes -= written
        if (written < first.length) waiting[0] = first.subarray(written)
        else waiting.shift()
      }
    } catch (error) {
      if (isFull(error)) timer = setTimeout(writeWaiting, retryMs).unref()
      else drop()
    }
  }

  function drop(): void {
    clearTimeout(timer)
    timer = undefined
    waiting = []
    waitingBytes = 0
  }

  return {
    write(text: string): void {
      const bytes = Buffer.from(text)
      if (waitingBytes + bytes.length > maxWaitingBytes) {
        lostLines += text.split('\n').length - 1
        return
      }
      waiting.push(bytes)
      waitingBytes += bytes.length
      if (!timer) writeWaiting()
    },
    /** Returns the lines dropped since the last call; 0 while text waits, since a line about them would wait, too. */
    takeLostLines(): number {
      if (waiting.length > 0) return 0
      const lost = lostLines
      lostLines = 0
      return lost
    },
    /** Writes all that waits, for at most `ms` milliseconds, in which nothing else runs; then drops the rest. */
    flush(ms: number): void {
      writeWaiting()
      for (let waited = 0; waiting.length > 0 && waited < ms; waited += retryMs) {
        Atomics.wait(sleeper, 0, 0, retryMs)
        writeWaiting()
      }
      drop()
    },
  }
}

/** A memory that no thread changes: to wait for its change is to sleep. */
const sleeper = new Int32Array(new SharedArrayBuffer(4))

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}
