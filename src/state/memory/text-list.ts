/**
 * Texts in groups, which are compressed outside of V8's heap. A process with 100,000 events takes 205 to 224 MB if they
 * are strings, and 132 to 181 MB with this list. Compression takes 1.5 to 2 µs of an event (FINDINGS).
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** The number of texts of a full group. One read decompresses a group. */
const GROUP = 16

/** The length in characters up to which a group is compressed, which takes 4 to 10 ms at most. */
const MAX_COMPRESSED = 512 * 1024

/** Texts of a group, as they are or outside of V8's heap. */
type Texts = readonly (string | Buffer)[]

/** A list of texts without line breaks. */
export class TextList {
  /** The groups, which are replaced and never changed: copies share them. All but one are outside of the heap. */
  #groups: (Texts | Uint8Array)[] = []
  /** The index of the group of the last change, which is packed at the first change of another group. */
  #last = 0
  length = 0

  /** Adds a text at the end, or replaces an earlier one. */
  set(position: number, text: string): void {
    const index = Math.floor(position / GROUP)
    const texts = [...this.#decode(index)]
    texts[position % GROUP] = text
    if (index !== this.#last) this.#groups[this.#last] = pack(this.#decode(this.#last))
    this.#groups[index] = texts
    this.#last = index
    this.length = Math.max(this.length, position + 1)
  }

  /** Returns the text at a position, or undefined if there is none. */
  at(position: number): string | undefined {
    return this.#decode(Math.floor(position / GROUP))[position % GROUP]?.toString()
  }

  *[Symbol.iterator](): Generator<string> {
    for (const index of this.#groups.keys()) for (const text of this.#decode(index)) yield text.toString()
  }

  copy(): TextList {
    const copy = new TextList()
    copy.#groups = [...this.#groups]
    copy.#last = this.#last
    copy.length = this.length
    return copy
  }

  #decode(index: number): Texts {
    const group = this.#groups[index] ?? []
    return group instanceof Uint8Array ? inflateRawSync(group).toString('utf8').split('\n') : group
  }
}

function pack(texts: Texts): Texts | Uint8Array {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length > MAX_COMPRESSED) return texts.map((text) => (typeof text === 'string' ? Buffer.from(text) : text))
  return new Uint8Array(deflateRawSync(texts.join('\n'), { level: 1 })) // a copy of part of a buffer
}
