import { releaseBody } from '../../service/exchange/request.ts'
import type { Exchange } from './exchange.ts'

/** The most bytes of all bodies of requests whose responses take long; above them the oldest are released. */
const maxHeldBytes = 16 * 1024 * 1024

/** The size from which bodies are released. */
const minBytes = 4096

/**
 * The bodies of requests whose responses hang or are late, until these have ended and are recorded. The journal records
 * a released body as an evicted one.
 */
export class HeldBodies {
  readonly #sizes = new Map<Exchange, number>()
  #bytes = 0

  /** Holds the body of an exchange as bytes only: it is parsed again when it is recorded. */
  hold(exchange: Exchange): void {
    const { body } = exchange.request
    if (body.kind !== 'bytes' || !isLargeBody(exchange)) return
    this.#sizes.set(exchange, body.bytes.length)
    this.#bytes += body.bytes.length
    if (exchange.json) exchange.json = exchange.body = undefined
    for (const [oldest] of this.#sizes) {
      if (this.#bytes <= maxHeldBytes) return
      this.end(oldest)
      release(oldest)
    }
  }

  /** Returns true if the body was held, and holds it no longer. */
  end(exchange: Exchange): boolean {
    if (this.#sizes.size === 0) return false
    this.#bytes -= this.#sizes.get(exchange) ?? 0
    return this.#sizes.delete(exchange)
  }
}

/** Returns true for a body that is worth its release. */
export const isLargeBody = ({ request: { body } }: Exchange): boolean =>
  body.kind === 'bytes' && body.bytes.length >= minBytes

/** Releases the body of an exchange, bytes and value. */
export function release(exchange: Exchange): void {
  exchange.json = exchange.body = undefined
  releaseBody(exchange.request)
}
