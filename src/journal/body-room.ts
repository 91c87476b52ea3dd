import type { Captured } from './entry.ts'

/** What is taken off the front of a list before the list is made anew. */
const slack = 1024

/** Room for bodies, in bytes: where it is short, the oldest ones are let go. They come and go in one order. */
export class BodyRoom {
  readonly #room: number
  #bodies: Captured[] = []
  /** Those before this one are gone. */
  #first = 0
  #used = 0

  constructor(room: number) {
    this.#room = room
  }

  /** Takes in a body that is newer than all others. */
  keep(body: Captured): void {
    if (!body.bytes || body.bytes.length === 0) return
    this.#bodies.push(body)
    this.#used += body.bytes.length
    while (this.#used > this.#room) this.#letGo()
  }

  /** A body whose entry is dropped. It is the oldest one, if it is still here. */
  drop(body: Captured): void {
    if (body.bytes && body.bytes.length > 0) this.#letGo()
  }

  #letGo(): void {
    const body: { bytes: Uint8Array | undefined } | undefined = this.#bodies[this.#first]
    if (!body) return
    this.#used -= body.bytes?.length ?? 0
    body.bytes = undefined
    this.#first += 1
    if (this.#first < slack || this.#first * 2 < this.#bodies.length) return
    this.#bodies = this.#bodies.slice(this.#first)
    this.#first = 0
  }
}
