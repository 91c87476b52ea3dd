/**
 * Texts in groups, which are compressed outside of V8's heap. A process with 100,000 events takes 205 to 224 MB if they
 * are strings, and 132 to 181 MB with this list. Compression takes 1.5 to 2 µs of an event (FINDINGS).
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** The number of texts of a full group. One read decompresses a group. */
const GROUP = 64

/** The length in characters up to which a group is compressed: four megabytes would hold up requests for 0.2 s. */
const MAX_COMPRESSED = 128 * 1024

/** A list of texts without line breaks. */
export class TextList {
  /** The groups, which are replaced and never changed, since copies share them. A full one may be compressed. */
  #groups: (readonly string[] | Uint8Array)[] = []
  length = 0

  /** Adds a text at the end, or replaces an earlier one, whose group is not compressed any more. */
  set(position: number, text: string): void {
    const index = Math.floor(position / GROUP)
    const texts = [...this.#decode(index)]
    texts[position % GROUP] = text
    const isCompleted = position === this.length && texts.length === GROUP
    this.#groups[index] = isCompleted ? compress(texts) : texts
    this.length = Math.max(this.length, position + 1)
  }

  /** Returns the text at a position, or undefined if there is none. */
  at(position: number): string | undefined {
    return this.#decode(Math.floor(position / GROUP))[position % GROUP]
  }

  *[Symbol.iterator](): Generator<string> {
    for (const index of this.#groups.keys()) yield* this.#decode(index)
  }

  copy(): TextList {
    const copy = new TextList()
    copy.#groups = [...this.#groups]
    copy.length = this.length
    return copy
  }

  #decode(index: number): readonly string[] {
    const group = this.#groups[index] ?? []
    return group instanceof Uint8Array ? inflateRawSync(group).toString('utf8').split('\n') : group
  }
}

function compress(texts: readonly string[]): readonly string[] | Uint8Array {
  if (texts.reduce((length, text) => length + text.length, 0) > MAX_COMPRESSED) return texts
  return new Uint8Array(deflateRawSync(texts.join('\n'), { level: 1 })) // a copy of part of a buffer
}
