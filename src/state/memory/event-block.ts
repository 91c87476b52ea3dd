import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { StoredEvent } from '../records.ts'

/**
 * Successive events as lines of JSON, in a tenth of their room. What it holds never changes, so that lists can share it; only
 * what was loaded is packed somewhat later.
 */
export class EventBlock {
  /** The place of its first event in the list. */
  readonly from: number
  #held: Buffer | readonly StoredEvent[]

  /** Packs lines at once, and leaves events as they are until it is told to pack them. */
  constructor(from: number, held: { readonly lines: readonly string[] } | readonly StoredEvent[]) {
    this.from = from
    this.#held = 'lines' in held ? packed(held.lines) : held
  }

  lines(): string[] {
    const held = this.#held
    return Buffer.isBuffer(held) ? unpacked(held) : linesOf(held)
  }

  compress(): void {
    if (!Buffer.isBuffer(this.#held)) this.#held = packed(linesOf(this.#held))
  }
}

function linesOf(events: readonly StoredEvent[]): string[] {
  return events.map((event) => JSON.stringify(event))
}

/** The quickest level: the lines are so alike that others gain nothing. */
function packed(lines: readonly string[]): Buffer {
  const made = deflateRawSync(lines.join('\n'), { level: 1 })
  const own = Buffer.allocUnsafeSlow(made.length) // what zlib gives is a part of a larger buffer
  made.copy(own)
  return own
}

function unpacked(bytes: Buffer): string[] {
  return inflateRawSync(bytes).toString('utf8').split('\n')
}
