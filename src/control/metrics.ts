import type { Registry } from 'prom-client'
import { textBody } from '../exchange/body.ts'
import type { Journal } from '../journal/journal.ts'
import type { ControlDeps } from './deps.ts'
import { type ControlHandlers, CustomReply } from './handler.ts'
import { type DurationHistogram, durationBounds, RequestMetrics } from './request-metrics.ts'

/** Handles `GET metrics`. The first request loads prom-client; until then only plain numbers are counted. */
export function metricsHandlers(deps: ControlDeps): Pick<ControlHandlers, 'getMetrics'> {
  const requestMetrics = new RequestMetrics(deps.journal)
  let loaded: Promise<Registry> | undefined
  return {
    async getMetrics() {
      loaded ??= createRegistry(deps, requestMetrics)
      const registry = await loaded
      const text = (await registry.metrics()) + durationsToText(requestMetrics.durations())
      return new CustomReply({ body: textBody(text, registry.contentType) })
    },
  }
}

async function createRegistry(deps: ControlDeps, requestMetrics: RequestMetrics): Promise<Registry> {
  const { default: prometheus } = await import('prom-client')
  const { Counter, Registry, collectDefaultMetrics } = prometheus
  const registry = new Registry()
  const registers = [registry]
  new Counter({
    name: 'convsim_requests_total',
    help: 'Answers of the simulated service; the operation "none" is for requests that met none.',
    labelNames: ['operation', 'status', 'origin'],
    registers,
    collect() {
      this.reset()
      for (const { operation = 'none', status, origin, count } of requestMetrics.counts())
        this.inc({ operation, status, origin }, count)
    },
  })
  await addGauges(deps, registers)
  // Adds the event loop's lag, memory and processor time of the process.
  collectDefaultMetrics({ register: registry })
  return registry
}

async function addGauges({ journal, sandboxes, store }: ControlDeps, registers: Registry[]): Promise<void> {
  const { default: prometheus } = await import('prom-client')
  const gauges: [name: string, help: string, value: () => number | Promise<number>][] = [
    ['convsim_journal_entries', 'Exchanges that the journal holds.', () => countHeld(journal)],
    [
      'convsim_journal_dropped',
      'Exchanges that the journal had to drop since its sandboxes were cleared.',
      async () => (await journal.counts(undefined)).dropped,
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

async function countHeld(journal: Journal): Promise<number> {
  const { recorded, dropped } = await journal.counts(undefined)
  return recorded - dropped
}

const durationName = 'convsim_request_duration_seconds'

/**
 * Formats histograms as Prometheus reads them. prom-client's own histogram takes single values only, and these are counted already.
 * A bucket counts every request up to its bound, those of smaller buckets included.
 */
function durationsToText(durations: readonly DurationHistogram[]): string {
  const lines = durations.flatMap(({ operation = 'none', counts, sum }) => {
    const label = `operation=${JSON.stringify(operation)}`
    let count = 0
    const buckets = counts.map((bucketCount, index) => {
      count += bucketCount
      return `${durationName}_bucket{${label},le="${durationBounds[index] ?? '+Inf'}"} ${count}`
    })
    return [...buckets, `${durationName}_sum{${label}} ${sum}`, `${durationName}_count{${label}} ${count}`]
  })
  const help = 'From receipt to the answer being ready; a delay on purpose is not counted.'
  return [`# HELP ${durationName} ${help}`, `# TYPE ${durationName} histogram`, ...lines, ''].join('\n')
}
