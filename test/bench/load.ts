import autocannon from 'autocannon'
import type { BenchRequest } from './requests.ts'
import { median, type Row } from './table.ts'
import type { StartedTarget } from './target.ts'

/** The result of one load test of one target. */
export interface LoadResult {
  readonly perSecond: number
  /** The median response time, in milliseconds. */
  readonly p50: number
  /** The 99th percentile of the response time, in milliseconds. */
  readonly p99: number
}

/** A request to repeat, or a function that creates the next request. */
export type RequestSource = BenchRequest | (() => BenchRequest)

/** When a load ends: after `duration` seconds, or after `amount` responses. */
export type LoadLimit = { readonly duration: number } | { readonly amount: number }

/** Sends requests on all connections, one after another on each connection. Throws if a request fails. */
export async function runLoad(
  { name, url }: StartedTarget,
  source: RequestSource,
  connections: number,
  limit: LoadLimit,
): Promise<LoadResult> {
  const durations: number[] = []
  const { origin, pathname } = new URL(url)
  const base = pathname === '/' ? '' : pathname
  const next = () => {
    const request = typeof source === 'function' ? source() : source
    return { ...request, path: base + request.path }
  }
  const requests =
    typeof source === 'function'
      ? [{ ...next(), setupRequest: (request: BenchRequest) => ({ ...request, ...next() }) }]
      : [next()]
  const startedAt = performance.now()
  let lastAt = startedAt
  const running = autocannon({ url: origin, connections, ...limit, requests })
  running.on('response', (_client, _status, _bytes, milliseconds) => {
    durations.push(milliseconds)
    lastAt = performance.now()
  })
  const result = await running
  const failed = result.non2xx + result.errors
  if (failed > 0 || durations.length === 0)
    throw new Error(`${name}: the load failed; responses: ${durations.length}, failed requests: ${failed}`)
  // The rate is computed here, since autocannon rounds its duration up to whole seconds if `amount` is given.
  return { perSecond: (result['2xx'] * 1000) / (lastAt - startedAt), ...computePercentiles(durations) }
}

function computePercentiles(durations: readonly number[]) {
  const sorted = durations.toSorted((one, other) => one - other)
  const at = (fraction: number) => sorted[Math.floor(sorted.length * fraction)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

/** Returns the table rows for a load, with the median of the rounds for each target. */
export function loadRows(name: string, results: readonly (readonly LoadResult[])[]): Row[] {
  const measures = { 'requests/s': 'perSecond', 'p50 ms': 'p50', 'p99 ms': 'p99' } as const
  return Object.entries(measures).map(([what, measure]) => {
    return { name: `${name}, ${what}`, values: results.map((rounds) => median(rounds.map((one) => one[measure]))) }
  })
}
