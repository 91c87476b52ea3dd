/** Pieces lie in pages of so many bytes. One that may be larger than an eighth of that is kept as it is. */
const pageSize = 128 * 1024
const mostInPage = pageSize / 8

/** So is one of so many bytes or more that has its memory for itself: answers that are remembered are sent again and again. */
const leastUncopied = 4096

class Page {
  readonly bytes: Buffer
  /** How many of the pieces in it are held. */
  pieces = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size)
  }
}

/**
 * The latest pieces of bytes, no more than `size` of them and together no more bytes than `room`: one more, and the oldest goes.
 * Small ones lie side by side in a few pages outside the engine's heap. As objects they would live just long enough to be moved
 * to the old space, which is dear, and leave it full of what is dead.
 */
export class ByteRing {
  readonly #size: number
  readonly #maxBytes: number
  /** Of each piece where it lies, by its place in the ring; undefined: it was let go. */
  readonly #pages: (Page | Uint8Array | undefined)[] = []
  readonly #starts: number[] = []
  readonly #lengths: number[] = []
  /** How many were ever added, and how many of these are gone. */
  #added = 0
  #gone = 0
  /** Bytes that are held. */
  #used = 0
  /** The page that is written to, and up to where it is full. */
  #open = new Page(0)
  #end = Number.POSITIVE_INFINITY
  /** A page that nothing holds any more, so that the next one need not be made. */
  #spare: Page | undefined

  /** A size of at least 1. */
  constructor(size: number, room = Number.POSITIVE_INFINITY) {
    this.#size = size
    this.#maxBytes = room
  }

  /** How many pieces are gone: the oldest that is held was added as the one of this number, from 0. */
  get evictedCount(): number {
    return this.#gone
  }

  /** Takes in a piece. Nobody may write to it afterwards. */
  add(piece: Uint8Array): void {
    const { length } = piece
    const isAlone = piece.buffer.byteLength === length
    if (length > mostInPage || (isAlone && length >= leastUncopied)) {
      this.#hold(piece, 0, length)
      return
    }
    const page = this.#pageFor(length)
    if (length > 0) page.bytes.set(piece, this.#end)
    this.#holdAtEnd(page, length)
  }

  addText(text: string): void {
    const most = text.length * 3 // bytes that a text may have
    if (most > mostInPage) {
      this.add(Buffer.from(text))
      return
    }
    const page = this.#pageFor(most)
    this.#holdAtEnd(page, page.bytes.write(text, this.#end))
  }

  /** The piece that was added as the n-th, from 0; undefined where it is gone. */
  at(n: number): Uint8Array | undefined {
    const [page, start, end] = this.#placeOf(n)
    if (!(page instanceof Page)) return page
    return new Uint8Array(page.bytes.subarray(start, end)) // a copy, since its place is written to again
  }

  /** The same as a text. */
  textAt(n: number): string | undefined {
    const [page, start, end] = this.#placeOf(n)
    const bytes = page instanceof Page ? page.bytes : page && Buffer.from(page)
    return bytes?.toString('utf8', start, end)
  }

  #placeOf(n: number): readonly [page: Page | Uint8Array | undefined, start: number, end: number] {
    const place = n % this.#size
    const start = this.#starts[place] ?? 0
    const isHeld = n >= this.#gone && n < this.#added
    return [isHeld ? this.#pages[place] : undefined, start, start + (this.#lengths[place] ?? 0)]
  }

  #pageFor(length: number): Page {
    if (this.#end + length > pageSize) {
      this.#open = this.#spare ?? new Page(pageSize)
      this.#spare = undefined
      this.#end = 0
    }
    return this.#open
  }

  #holdAtEnd(page: Page, length: number): void {
    this.#hold(page, this.#end, length)
    this.#end += length
  }

  #hold(page: Page | Uint8Array, start: number, length: number): void {
    if (this.#added - this.#gone === this.#size) this.#evict()
    const place = this.#added % this.#size
    if (page instanceof Page) page.pieces += 1
    this.#pages[place] = page
    this.#starts[place] = start
    this.#lengths[place] = length
    this.#used += length
    this.#added += 1
    while (this.#used > this.#maxBytes) this.#evict()
  }

  #evict(): void {
    const place = this.#gone % this.#size
    const page = this.#pages[place]
    this.#pages[place] = undefined
    this.#used -= this.#lengths[place] ?? 0
    this.#gone += 1
    if (!(page instanceof Page)) return
    page.pieces -= 1
    if (page.pieces === 0 && page !== this.#open) this.#spare = page
  }
}
