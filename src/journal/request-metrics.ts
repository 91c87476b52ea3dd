import type { JournalEntry } from './entry.ts'
import type { Journal } from './journal.ts'

/** How many exchanges there were of one kind. */
export interface AnswerKind {
  /** `operationId`; undefined where the requests met none. */
  readonly operation: string | undefined
  readonly status: number
  readonly origin: string
  count: number
}

/** How the answers to one operation were. */
interface Answers {
  readonly kinds: AnswerKind[]
  readonly durations: Durations
}

/** How long the answers to one operation took. */
export interface Durations {
  readonly operation: string | undefined
  /** How many took at most as long as the bound of `durationBounds`, and longer than the one before; the last: longer than all. */
  readonly counts: number[]
  /** Seconds. */
  sum: number
}

/** Seconds. */
export const durationBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const

/** Counts over the life of the process, whatever is cleared meanwhile. As many as operations and statuses, however many requests. */
export class RequestMetrics {
  readonly #byOperation = new Map<string | undefined, Answers>()

  constructor(journal: Journal) {
    journal.onEntry((entry) => this.#add(entry))
  }

  kinds(): readonly AnswerKind[] {
    return [...this.#byOperation.values()].flatMap(({ kinds }) => kinds)
  }

  durations(): readonly Durations[] {
    return Array.from(this.#byOperation.values(), ({ durations }) => durations)
  }

  #add({ operation, answer: { status, origin }, durationMs }: JournalEntry): void {
    const { kinds, durations } = this.#answersTo(operation)
    const kind = kinds.find((known) => known.status === status && known.origin === origin)
    if (kind) kind.count += 1
    else kinds.push({ operation, status, origin, count: 1 })
    const seconds = durationMs / 1000
    const at = durationBounds.findIndex((bound) => seconds <= bound)
    const slot = at < 0 ? durationBounds.length : at
    durations.counts[slot] = (durations.counts[slot] ?? 0) + 1
    durations.sum += seconds
  }

  #answersTo(operation: string | undefined): Answers {
    const known = this.#byOperation.get(operation)
    if (known) return known
    const counts = Array.from({ length: durationBounds.length + 1 }, () => 0)
    const none = { kinds: [], durations: { operation, counts, sum: 0 } }
    this.#byOperation.set(operation, none)
    return none
  }
}
