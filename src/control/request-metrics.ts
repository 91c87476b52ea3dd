import type { JournalEntry } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'

/** The number of exchanges with the same operation, status and origin. */
export interface AnswerCount {
  /** The `operationId`; undefined for requests that match no operation. */
  readonly operation: string | undefined
  readonly status: number
  readonly origin: string
  count: number
}

interface OperationMetrics {
  readonly counts: AnswerCount[]
  readonly durations: DurationHistogram
}

/** A histogram of the time from the receipt of a request until its answer is ready. */
export interface DurationHistogram {
  /** The `operationId`; undefined for requests that match no operation. */
  readonly operation: string | undefined
  /** The number of exchanges in each bucket: up to the bound of `durationBounds`, above the bound before; the last bucket has no bound. */
  readonly counts: number[]
  /** The sum of all durations, seconds. */
  sum: number
}

/** The upper bounds of a histogram's buckets, seconds. */
export const durationBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const

/**
 * Counts exchanges over the life of the process, for `GET /__sim/metrics`. Clearing the journal changes no count; memory grows with
 * operations and statuses only.
 */
export class RequestMetrics {
  readonly #byOperation = new Map<string | undefined, OperationMetrics>()

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

  #metricsOf(operation: string | undefined): OperationMetrics {
    const known = this.#byOperation.get(operation)
    if (known) return known
    const buckets = Array.from({ length: durationBounds.length + 1 }, () => 0)
    const metrics = { counts: [], durations: { operation, counts: buckets, sum: 0 } }
    this.#byOperation.set(operation, metrics)
    return metrics
  }
}
