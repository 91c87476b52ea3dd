import type { Entry } from '../journal/entry.ts'
import type { Whole } from '../journal/journal.ts'
import { Coverage } from './coverage.ts'
import { Faults, type IsMagicKey } from './faults.ts'
import { Manners } from './manners.ts'
import type { OperationPoints } from './points.ts'

/** What is known of the clients of a sandbox, or of all. */
export class Evidence {
  /** Exchanges, refused or not. */
  requests = 0
  readonly coverage: Coverage
  readonly manners: Manners
  readonly faults: Faults

  constructor({ plan, idempotent, isMagicKey }: Omit<WitnessParts, 'limit'>) {
    this.coverage = new Coverage(plan)
    this.manners = new Manners(idempotent)
    this.faults = new Faults(isMagicKey)
  }

  note(entry: Entry, whole: Whole): void {
    this.requests += 1
    this.coverage.note(entry, whole)
    this.manners.note(entry, whole)
    this.faults.note(entry, whole)
  }

  join(other: Evidence): void {
    this.requests += other.requests
    this.coverage.join(other.coverage)
    this.manners.join(other.manners)
    this.faults.join(other.faults)
  }
}

export interface WitnessParts {
  readonly plan: readonly OperationPoints[]
  /** Ids of the operations that know an idempotency key. */
  readonly idempotent: ReadonlySet<string>
  readonly isMagicKey: IsMagicKey
  /** Sandboxes that are kept apart. */
  readonly limit: number
}

/**
 * Sees every exchange as it happens. What was seen of a sandbox that is reset, cleared, deleted or dropped still counts for
 * the whole: a suite that resets between its tests must not lose what they have shown.
 */
export class Witness {
  readonly plan: readonly OperationPoints[]
  readonly #parts: WitnessParts
  readonly #bySandbox = new Map<string, Evidence>()
  readonly #gone: Evidence

  constructor(parts: WitnessParts) {
    this.plan = parts.plan
    this.#parts = parts
    this.#gone = this.#none()
  }

  note(entry: Entry, whole: Whole): void {
    let evidence = this.#bySandbox.get(entry.sandbox)
    if (!evidence) {
      const [oldest] = this.#bySandbox.keys()
      if (this.#bySandbox.size >= this.#parts.limit && oldest !== undefined) this.forget(oldest)
      evidence = this.#none()
      this.#bySandbox.set(entry.sandbox, evidence)
    }
    evidence.note(entry, whole)
  }

  /** Lets a sandbox begin anew. */
  forget(sandbox: string): void {
    const evidence = this.#bySandbox.get(sandbox)
    if (evidence) this.#gone.join(evidence)
    this.#bySandbox.delete(sandbox)
  }

  /** Of one sandbox since it began, or of everything that the process has seen. */
  of(sandbox: string | undefined): Evidence {
    if (sandbox !== undefined) return this.#bySandbox.get(sandbox) ?? this.#none()
    const all = this.#none()
    for (const evidence of [this.#gone, ...this.#bySandbox.values()]) all.join(evidence)
    return all
  }

  #none(): Evidence {
    return new Evidence(this.#parts)
  }
}
