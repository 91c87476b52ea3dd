/** Bytes of a page, in which small pieces lie side by side. A piece longer than an eighth of a page is stored in its own memory. */
const pageSize = 128 * 1024
const maxCopiedBytes = pageSize / 8

/** The length from which a piece that does not share its memory is stored without a copy: cached answers are recorded many times. */
const minUncopiedBytes = 4096

class Page {
  readonly bytes: Buffer
  /** The number of stored pieces that lie in the page. */
  pieces = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size)
  }
}

/**
 * A ring that stores the latest pieces of bytes, at most `size` pieces and `maxBytes` bytes; the oldest pieces are evicted.
 * Small pieces lie in a few pages outside the heap of the engine. As objects they would live just long enough to be moved to
 * the old space, and fill it with garbage.
 */
export class ByteRing {
  readonly #size: number
  readonly #maxBytes: number
  /** The memory of each piece, by its place in the ring; undefined where it was evicted. */
  readonly #pages: (Page | Uint8Array | undefined)[] = []
  readonly #starts: number[] = []
  readonly #lengths: number[] = []
  #addedCount = 0
  #evictedCount = 0
  /** Bytes of all stored pieces. */
  #usedBytes = 0
  /** The page that the next small piece is written to, and the offset of its first free byte. */
  #openPage = new Page(0)
  #openEnd = Number.POSITIVE_INFINITY
  /** An empty page for reuse; undefined where there is none. */
  #sparePage: Page | undefined

  /** `size`: at least 1. */
  constructor(size: number, maxBytes = Number.POSITIVE_INFINITY) {
    this.#size = size
    this.#maxBytes = maxBytes
  }

  /** The number of evicted pieces, which is also the index of the oldest stored piece. */
  get evictedCount(): number {
    return this.#evictedCount
  }

  /** Stores a piece. The caller must not write to it afterwards. */
  add(piece: Uint8Array): void {
    const { length } = piece
    const isAlone = piece.buffer.byteLength === length
    if (length > maxCopiedBytes || (isAlone && length >= minUncopiedBytes)) {
      this.#store(piece, 0, length)
      return
    }
    const page = this.#pageFor(length)
    if (length > 0) page.bytes.set(piece, this.#openEnd)
    this.#storeAtEnd(page, length)
  }

  addText(text: string): void {
    const maxLength = text.length * 3 // UTF-8 has at most three bytes for each UTF-16 unit
    if (maxLength > maxCopiedBytes) {
      this.add(Buffer.from(text))
      return
    }
    const page = this.#pageFor(maxLength)
    this.#storeAtEnd(page, page.bytes.write(text, this.#openEnd))
  }

  /** Returns the n-th added piece, from 0; undefined where it was evicted. */
  at(n: number): Uint8Array | undefined {
    const [page, start, end] = this.#placeOf(n)
    if (!(page instanceof Page)) return page
    return new Uint8Array(page.bytes.subarray(start, end)) // a copy, since the page is written to again
  }

  /** Returns the n-th added piece as text, from 0; undefined where it was evicted. */
  textAt(n: number): string | undefined {
    const [page, start, end] = this.#placeOf(n)
    const bytes = page instanceof Page ? page.bytes : page && Buffer.from(page)
    return bytes?.toString('utf8', start, end)
  }

  #placeOf(n: number): readonly [page: Page | Uint8Array | undefined, start: number, end: number] {
    const place = n % this.#size
    const start = this.#starts[place] ?? 0
    const isStored = n >= this.#evictedCount && n < this.#addedCount
    return [isStored ? this.#pages[place] : undefined, start, start + (this.#lengths[place] ?? 0)]
  }

  #pageFor(length: number): Page {
    if (this.#openEnd + length > pageSize) {
      this.#openPage = this.#sparePage ?? new Page(pageSize)
      this.#sparePage = undefined
      this.#openEnd = 0
    }
    return this.#openPage
  }

  #storeAtEnd(page: Page, length: number): void {
    this.#store(page, this.#openEnd, length)
    this.#openEnd += length
  }

  #store(page: Page | Uint8Array, start: number, length: number): void {
    if (this.#addedCount - this.#evictedCount === this.#size) this.#evict()
    const place = this.#addedCount % this.#size
    if (page instanceof Page) page.pieces += 1
    this.#pages[place] = page
    this.#starts[place] = start
    this.#lengths[place] = length
    this.#usedBytes += length
    this.#addedCount += 1
    while (this.#usedBytes > this.#maxBytes) this.#evict()
  }

  #evict(): void {
    const place = this.#evictedCount % this.#size
    const page = this.#pages[place]
    this.#pages[place] = undefined
    this.#usedBytes -= this.#lengths[place] ?? 0
    this.#evictedCount += 1
    if (!(page instanceof Page)) return
    page.pieces -= 1
    if (page.pieces === 0 && page !== this.#openPage) this.#sparePage = page
  }
}
