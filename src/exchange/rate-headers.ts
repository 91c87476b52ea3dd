/** Returns the headers that say when to retry: whole seconds (`Retry-After`), and milliseconds for clients that read them. */
export function retryHeaders(resetMs: number): Record<string, string> {
  return { 'Retry-After': String(Math.ceil(resetMs / 1000)), 'retry-after-ms': String(Math.ceil(resetMs)) }
}

/** Returns the `RateLimit` fields of a reply within an hourly limit: the quota, the requests that remain, and the time until the window ends. */
export function rateHeaders(quota: number, remaining: number, resetMs: number): Record<string, string> {
  const seconds = Math.ceil(resetMs / 1000)
  return {
    RateLimit: `"analyses";r=${remaining};t=${seconds}`,
    'RateLimit-Policy': `"analyses";q=${quota};w=3600`,
  }
}
