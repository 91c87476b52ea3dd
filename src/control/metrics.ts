import type { Registry } from 'prom-client'
import { textBody } from '../exchange/body.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'
import type { ControlDeps } from './deps.ts'
import { type ControlHandlers, CustomReply } from './handler.ts'

/** Handles `GET metrics`. The first request loads prom-client; until then only plain numbers are counted. */
export function metricsHandlers(deps: ControlDeps) {
  const requestMetrics = new RequestMetrics(deps.journal)
  let loaded: Promise<Registry> | undefined
  return {
    async getMetrics() {
      loaded ??= createRegistry(deps, requestMetrics)
      const registry = await loaded
      const text = (await registry.metrics()) + durationsToText(requestMetrics.durations())
      return new CustomReply({ body: textBody(text, registry.contentType) })
    },
  } satisfies Partial<ControlHandlers>
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
  addGauges(prometheus, deps, registers)
  // Adds the event loop's lag, memory and processor time of the process.
  collectDefaultMetrics({ register: registry })
  return registry
}

function addGauges(
  { Gauge }: Pick<typeof import('prom-client'), 'Gauge'>,
  { journal, sandboxes, store }: ControlDeps,
  registers: Registry[],
): void {
  const gauges: [name: string, help: string, value: () => number | Promise<number>][] = [
    ['convsim_journal_entries', 'Exchanges that the journal holds.', () => countHeld(journal)],
    [
      'convsim_journal_dropped',
      'Exchanges that the journal had to drop since its sandboxes were cleared.',
      async () => (await journal.counts(undefined)).dropped,
    ],
    ['convsim_journal_waiting', 'Verifications and streams that wait for requests to come.', () => journal.waiting],
    ['convsim_sandboxes', 'Sandboxes of the process.', () => sandboxes.list().length],
    ['convsim_state_events', 'Events that the state holds.', async () => (await store.size()).events],
    ['convsim_state_prompts', 'Prompts that the state holds.', async () => (await store.size()).prompts],
  ]
  for (const [name, help, value] of gauges)
    new Gauge({
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

/** Formats histograms as Prometheus reads them, since those of prom-client take single values only. */
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

/** The number of exchanges with the same operation, status and origin. */
interface AnswerCount {
  /** The `operationId`; undefined for requests that match no operation. */
  readonly operation: string | undefined
  readonly status: number
  readonly origin: string
  count: number
}

/** A histogram of the time from the receipt of a request until its answer is ready. */
interface DurationHistogram {
  readonly operation: string | undefined
  /** The number of exchanges in each bucket, up to its bound in `durationBounds`; the last bucket has no bound. */
  readonly counts: number[]
  /** The sum of all durations, seconds. */
  sum: number
}

/** The upper bounds of a histogram's buckets, seconds. */
const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

/** Counts exchanges over the life of the process, whatever is cleared, for `GET /__sim/metrics`. */
class RequestMetrics {
  readonly #byOperation = new Map<
    string | undefined,
    { readonly counts: AnswerCount[]; readonly durations: DurationHistogram }
  >()

  constructor(journal: Journal) {
    journal.onOwnEntry((entry) => this.#add(entry))
  }

  counts(): readonly AnswerCount[] {
    return [...this.#byOperation.values()].flatMap(({ counts }) => counts)
  }

  durations(): readonly DurationHistogram[] {
    return Array.from(this.#byOperation.values(), ({ durations }) => durations)
  }

  #add({ operation, answer: { status, origin }, durationMs }: JournalEntry): void {
    const { counts, durations } = this.#metricsOf(operation)
    const known = counts.find((counted) => counted.status === status && counted.origin === origin)
    if (known) known.count += 1
    else counts.push({ operation, status, origin, count: 1 })
    const seconds = durationMs / 1000
    const index = durationBounds.findIndex((bound) => seconds <= bound)
    const bucket = index < 0 ? durationBounds.length : index
    durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1
    durations.sum += seconds
  }

  #metricsOf(operation: string | undefined) {
    const known = this.#byOperation.get(operation)
    if (known) return known
    const buckets = Array.from({ length: durationBounds.length + 1 }, () => 0)
    const metrics = { counts: [], durations: { operation, counts: buckets, sum: 0 } }
    this.#byOperation.set(operation, metrics)
    return metrics
  }
}
