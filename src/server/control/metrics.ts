import type { Registry } from 'prom-client'
import { once } from '../../base/core/memoize.ts'
import { textBody } from '../../service/exchange/body.ts'
import type { Journal } from '../journal/journal.ts'
import { CustomReply, type HandlerGroup } from './handler.ts'

/**
 * Handles `GET metrics`. prom-client has the metrics of the process alone: it is loaded by the first request, and its
 * histograms take single values only, while the responses of the service are counted from the start.
 */
export const metricsHandlers: HandlerGroup = ({ journal, sandboxes, store }) => {
  const counts = countResponses(journal)
  const loadRegistry = once(createProcessRegistry)
  return {
    async getMetrics() {
      const registry = await loadRegistry()
      const { recorded, dropped } = await journal.counts(undefined)
      const { events, prompts } = await store.size()
      const gauge = (name: string, help: string, value: number) => formatMetric(name, 'gauge', help, [['', value]])
      const metrics = [
        formatResponses(counts),
        gauge('journal_entries', 'Exchanges that the journal holds.', recorded - dropped),
        gauge('journal_dropped', 'Exchanges that the journal had to drop since its sandboxes were cleared.', dropped),
        gauge('journal_waiting', 'Verifications and streams that wait for requests to come.', journal.waiting),
        gauge('sandboxes', 'Sandboxes of the process.', sandboxes.list().length),
        gauge('state_events', 'Events that the state holds.', events),
        gauge('state_prompts', 'Prompts that the state holds.', prompts),
        formatDurations(counts),
        await registry.metrics(),
      ]
      return new CustomReply({ body: textBody(metrics.join('\n\n'), registry.contentType) })
    },
  }
}

async function createProcessRegistry(): Promise<Registry> {
  const { default: prometheus } = await import('prom-client')
  const registry = new prometheus.Registry()
  prometheus.collectDefaultMetrics({ register: registry })
  return registry
}

/** The upper bounds of a histogram's buckets, seconds. */
const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, Infinity] as const

const createCounts = () => ({
  /** The number of responses by their labels: `status="200",origin="contract"`. */
  responses: new Map<string, number>(),
  /** The number of exchanges in each bucket: above the bound before, up to its own. */
  buckets: durationBounds.map(() => 0),
  /** The time from the receipt of each request until its response was ready, in total. */
  seconds: 0,
})

type ResponseCounts = ReturnType<typeof countResponses>

/** Counts the exchanges of the journal by operation; `none` for requests that match no operation. */
function countResponses(journal: Journal) {
  const byOperation = new Map<string, ReturnType<typeof createCounts>>()
  journal.onOwnEntry(({ operation = 'none', response: { status, origin }, durationMs }) => {
    const counts = byOperation.get(operation) ?? createCounts()
    byOperation.set(operation, counts)
    const labels = `status="${status}",origin="${origin}"`
    counts.responses.set(labels, (counts.responses.get(labels) ?? 0) + 1)
    const seconds = durationMs / 1000
    const bucket = durationBounds.findIndex((bound) => seconds <= bound)
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1
    counts.seconds += seconds
  })
  return byOperation
}

/** Formats a metric as Prometheus reads it: its values, each behind the end of its name, such as `{status="200"}`. */
function formatMetric(end: string, type: string, help: string, values: readonly (readonly [string, number])[]): string {
  const name = `convsim_${end}`
  const lines = values.map(([suffix, value]) => `${name}${suffix} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')
}

function formatResponses(counts: ResponseCounts): string {
  const help = 'Responses of the simulated service; the operation "none" is for requests that met none.'
  const values = [...counts].flatMap(([operation, { responses }]) =>
    Array.from(responses, ([labels, count]) => [`{operation=${JSON.stringify(operation)},${labels}}`, count] as const),
  )
  return formatMetric('requests_total', 'counter', help, values)
}

function formatDurations(counts: ResponseCounts): string {
  const help = 'From receipt to the response being ready; a delay on purpose is not counted.'
  const values = [...counts].flatMap(([operation, { buckets, seconds }]) => {
    const label = `operation=${JSON.stringify(operation)}`
    let count = 0
    const ofBuckets = durationBounds.map((bound, index) => {
      count += buckets[index] ?? 0
      return [`_bucket{${label},le="${bound === Infinity ? '+Inf' : bound}"}`, count] as const
    })
    return [...ofBuckets, [`_sum{${label}}`, seconds] as const, [`_count{${label}}`, count] as const]
  })
  return formatMetric('request_duration_seconds', 'histogram', help, values)
}
