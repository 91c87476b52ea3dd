/** The most bytes that wait for a slow reader; further lines are dropped, so that memory stays bounded. */
const maxWaitingBytes = 8 * 1024 * 1024

/** The pause before a full pipe is tried again, milliseconds. */
const retryMs = 5

/** Writes a part of the bytes, and returns their number; throws EAGAIN if the reader takes none now. */
export type WriteStderr = (bytes: Uint8Array) => number

/**
 * Writes text to stderr. A slow reader gets it later, up to a bound; a reader that is gone gets nothing. Neither stops
 * the process: sonic-boom, the writer of pino, tries for ever at the end.
 */
export class StderrWriter {
  readonly #write: WriteStderr
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #lostLines = 0
  #timer: NodeJS.Timeout | undefined

  constructor(write: WriteStderr) {
    this.#write = write
  }

  write(text: string): void {
    const bytes = Buffer.from(text)
    if (this.#waitingBytes + bytes.length > maxWaitingBytes) {
      this.#lostLines += text.split('\n').length - 1
      return
    }
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (!this.#timer) this.#writeWaiting()
  }

  /** Returns the lines dropped since the last call, or 0 while text waits, since a line about them would wait, too. */
  takeLostLines(): number {
    if (this.#waiting.length > 0) return 0
    const lost = this.#lostLines
    this.#lostLines = 0
    return lost
  }

  /** Writes all that waits, for at most `ms` milliseconds, in which nothing else runs; then drops the rest. */
  flush(ms: number): void {
    this.#writeWaiting()
    for (let waited = 0; this.#waiting.length > 0 && waited < ms; waited += retryMs) {
      Atomics.wait(sleeper, 0, 0, retryMs)
      this.#writeWaiting()
    }
    this.#drop()
  }

  /** Writes as much as the reader takes now; the rest waits. */
  #writeWaiting(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
        const written = this.#write(first)
        this.#waitingBytes -= written
        if (written < first.length) this.#waiting[0] = first.subarray(written)
        else this.#waiting.shift()
      }
    } catch (error) {
      if (isFull(error)) this.#timer = setTimeout(() => this.#writeWaiting(), retryMs).unref()
      else this.#drop()
    }
  }

  #drop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting = []
    this.#waitingBytes = 0
  }
}

/** A memory that no thread changes: to wait for its change is to sleep. */
const sleeper = new Int32Array(new SharedArrayBuffer(4))

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}
