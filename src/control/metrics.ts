import type { Registry } from 'prom-client'
import { type DurationHistogram, durationBounds, RequestMetrics } from '../journal/request-metrics.ts'
import { type ControlHandler, CustomReply } from './control.ts'
import type { Seen } from './seen.ts'

/** `GET metrics`. The library is loaded when somebody first asks; until then plain numbers are counted. */
export function metricsHandlers(seen: Seen): Record<string, ControlHandler> {
  const tallies = new RequestMetrics(seen.journal)
  let loaded: Promise<Registry> | undefined
  return {
    async getMetrics() {
      loaded ??= createRegistry(seen, tallies)
      const registry = await loaded
      return new CustomReply({ body: await registry.metrics(), mediaType: registry.contentType })
    },
  }
}

async function createRegistry(seen: Seen, tallies: RequestMetrics): Promise<Registry> {
  const { default: prometheus } = await import('prom-client')
  const { Counter, Histogram, Registry, collectDefaultMetrics } = prometheus
  const registry = new Registry()
  const registers = [registry]
  new Counter({
    name: 'convsim_requests_total',
    help: 'Answers of the simulated service; the operation "none" is for requests that met none.',
    labelNames: ['operation', 'status', 'origin'],
    registers,
    collect() {
      this.reset()
      for (const { operation = 'none', status, origin, count } of tallies.counts())
        this.inc({ operation, status, origin }, count)
    },
  })
  const histogram = new Histogram({
    name: durationName,
    help: 'From receipt to the answer being ready; a delay on purpose is not counted.',
    labelNames: ['operation'],
    registers,
  })
  // It can only be shown one value at a time; ours are counted already. (Not in its types: how the registry asks.)
  const head = await histogram.get()
  const getForPromString = async () => ({ ...head, values: tallies.durations().flatMap(valuesOf) })
  Object.assign(histogram, { getForPromString })
  await addGauges(seen, registers)
  // The event loop's lag, memory and processor time of the process.
  collectDefaultMetrics({ register: registry })
  return registry
}

const durationName = 'convsim_request_duration_seconds'

async function addGauges({ journal, sandboxes, store }: Seen, registers: Registry[]): Promise<void> {
  const { default: prometheus } = await import('prom-client')
  const gauges: [name: string, help: string, value: () => number | Promise<number>][] = [
    ['convsim_journal_entries', 'Exchanges that the journal holds.', () => journal.held],
    [
      'convsim_journal_dropped',
      'Exchanges that the journal had to drop since its sandboxes were cleared.',
      () => journal.counts(undefined).dropped,
    ],
    [
      'convsim_journal_waiting',
      'Verifications and streams that wait for requests to come.',
      () => journal.waiting,
    ],
    ['convsim_sandboxes', 'Sandboxes of the process.', () => sandboxes.list().length],
    ['convsim_state_events', 'Events that the state holds.', async () => (await store.size()).events],
    ['convsim_state_prompts', 'Prompts that the state holds.', async () => (await store.size()).prompts],
  ]
  for (const [name, help, value] of gauges)
    new prometheus.Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await value())
      },
    })
}

/** The lines of one operation; a bucket counts all that are below its bound. */
function valuesOf({ operation = 'none', counts, sum }: DurationHistogram) {
  let count = 0
  const buckets = counts.map((own, index) => {
    count += own
    const le = durationBounds[index] ?? '+Inf'
    return { metricName: `${durationName}_bucket`, labels: { operation, le }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${durationName}_sum`, labels: { operation }, value: sum },
    { metricName: `${durationName}_count`, labels: { operation }, value: count },
  ]
}
