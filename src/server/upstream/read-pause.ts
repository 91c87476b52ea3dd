/** Returns the milliseconds that a response asks to wait, 0 if none. `now` is in epoch milliseconds. */
export function readPause(status: number, headers: Readonly<Record<string, string>>, now: number): number {
  const isRefused = status === 429 || status === 503
  const asked = isRefused ? readRetryAfter(headers, now) : undefined
  return asked ?? readRateLimit(headers) ?? readOlderRateLimit(headers, now) ?? 0
}

function readRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const precise = readNumber(headers['retry-after-ms'])
  if (precise !== undefined) return precise
  const text = headers['retry-after']
  if (text === undefined) return undefined
  const seconds = readNumber(text)
  if (seconds !== undefined) return seconds * 1000
  const date = Date.parse(text)
  return Number.isFinite(date) ? Math.max(0, date - now) : undefined
}

/** Reads `RateLimit: "analyses";r=0;t=12`: nothing is left for another 12 seconds. */
function readRateLimit(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['ratelimit'] ?? ''
  const [, seconds] = /;\s*t=(\d{1,9})/.exec(text) ?? []
  return /;\s*r=0(;|,|\s|$)/.test(text) && seconds !== undefined ? Number(seconds) * 1000 : undefined
}

/** Reads `X-RateLimit-Remaining: 0` with `X-RateLimit-Reset`, in seconds from now on or since 1970. */
function readOlderRateLimit(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const reset = readNumber(headers['x-ratelimit-reset'])
  if (readNumber(headers['x-ratelimit-remaining']) !== 0 || reset === undefined) return undefined
  const isEpoch = reset > 1_000_000_000
  return Math.max(0, isEpoch ? reset * 1000 - now : reset * 1000)
}

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,12}(\.\d{1,6})?\s*$/.test(text) ? Number(text) : undefined
}
