/** Returns the headers that say when to retry: `Retry-After`, and `retry-after-ms` for clients that support it. */
export function retryHeaders(resetMs: number): Record<string, string> {
  return { 'Retry-After': String(Math.ceil(resetMs / 1000)), 'retry-after-ms': String(Math.ceil(resetMs)) }
}

/**
 * Returns the shorter of the waits in `Retry-After` (seconds or an HTTP date) and `retry-after-ms`, because seconds are
 * rounded up; undefined if neither header has a valid value. `now` is the response's time, in epoch milliseconds.
 * `at` is the date if the wait was derived from one.
 */
export function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  now: number,
): { readonly ms: number; readonly at?: number } | undefined {
  const read = (header: string) => Object.entries(headers).find(([name]) => name.toLowerCase() === header)?.[1] ?? ''
  const text = read('retry-after')
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  const waits = [
    { ms: readNumber(read('retry-after-ms')) },
    { ms: readNumber(text) * 1000 },
    { ms: Math.max(0, date - now), at: date },
  ].filter(({ ms }) => Number.isFinite(ms))
  return waits.sort((a, b) => a.ms - b.ms)[0]
}

const readNumber = (text: string) => (/^\s*\d{1,12}(\.\d{1,6})?\s*$/.test(text) ? Number(text) : Number.NaN)

/** A limit on requests per rate limit window. `windowMs` is a multiple of 1,000. */
export interface RateLimit {
  readonly quota: number
  readonly windowMs: number
}

/** The default rate limit window, in milliseconds (docs/development/service.md, 2.4). */
export const hourMs = 3_600_000

export function rateHeaders({ quota, windowMs }: RateLimit, remaining: number, resetMs: number) {
  const seconds = Math.ceil(resetMs / 1000)
  return {
    RateLimit: `"analyses";r=${remaining};t=${seconds}`,
    'RateLimit-Policy': `"analyses";q=${quota};w=${windowMs / 1000}`,
  }
}

/** Returns the `X-RateLimit-...` equivalents of any `RateLimit` headers. `resetMs`: the exact wait, if known. */
export function olderRateHeaders(
  headers: Readonly<Record<string, string>>,
  reset: 'epoch' | 'seconds',
  { now, resetMs }: { readonly now: number; readonly resetMs: number | undefined },
): Record<string, string> {
  const [, remaining, seconds] = /;r=(\d+);t=(\d+)$/.exec(headers['RateLimit'] ?? '') ?? []
  const [, quota] = /;q=(\d+);/.exec(headers['RateLimit-Policy'] ?? '') ?? []
  if (remaining === undefined || seconds === undefined || quota === undefined) return {}
  return {
    'X-RateLimit-Limit': quota,
    'X-RateLimit-Remaining': remaining,
    'X-RateLimit-Reset':
      reset === 'seconds' ? seconds : String(Math.ceil((now + (resetMs ?? Number(seconds) * 1000)) / 1000)),
  }
}
