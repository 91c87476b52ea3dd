import type { Violation } from '../../base/core/violation.ts'
import { type JournalEntry, type LiveExchange, targetOf } from '../journal/entry.ts'

/** The equal responses within a rate window from which on they are advice. */
const maxEqual = 5

const maxReads = 1000

/** The latest responses to rate-limited reads, by caller and target. */
export class RepeatedReads {
  readonly #reads = new Map<string, { readonly since: number; readonly body: string; count: number }>()

  /** Adds an exchange. Returns advice for the fifth response with the same bytes in a rate window. */
  add({ request, response, now }: JournalEntry, { token }: LiveExchange): Violation | undefined {
    if (request.method !== 'GET' || response.status >= 300) return undefined
    const [, quota, seconds] = /;q=(\d+);w=(\d+)/.exec(response.headers['RateLimit-Policy'] ?? '') ?? []
    const { latin1: body = '' } = response.body
    if (quota === undefined || body === '') return undefined
    const key = `${token} ${targetOf(request)}`
    const known = this.#reads.get(key)
    const isSame = known?.body === body && now - known.since < Number(seconds) * 1000
    const read = isSame ? { ...known, count: known.count + 1 } : { since: now, body, count: 1 }
    this.#reads.delete(key)
    this.#reads.set(key, read)
    const [oldest] = this.#reads.keys()
    if (this.#reads.size > maxReads && oldest !== undefined) this.#reads.delete(oldest)
    if (read.count !== maxEqual) return undefined
    const window = seconds === '3600' ? "the hour's" : `the window's`
    const message = `${maxEqual} of ${window} ${quota} requests returned the same bytes; keep the response for a while`
    return { in: 'path', pointer: '', keyword: 'repeated-read', message }
  }
}
