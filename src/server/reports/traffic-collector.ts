import type { JournalEntry, LiveExchange } from '../journal/entry.ts'
import { ContractFindings, type IsMagicKey } from './contract-findings.ts'
import { Coverage } from './coverage.ts'
import type { OperationItems } from './coverage-items.ts'
import { isIgnoredRequest } from './ignored-requests.ts'
import { RetryProblems } from './retry-problems.ts'

export class TrafficCounts {
  /** The number of exchanges, refused ones included. */
  requests = 0
  coverage: Coverage
  readonly retries: RetryProblems
  readonly contractFindings: ContractFindings

  constructor({ operations, idempotentOperations, isMagicKey }: Omit<CollectorOptions, 'limit'>) {
    this.coverage = new Coverage(operations())
    this.retries = new RetryProblems(idempotentOperations)
    this.contractFindings = new ContractFindings(isMagicKey)
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    this.requests += 1
    this.coverage.record(entry, live)
    this.retries.record(entry, live)
    this.contractFindings.record(entry, live)
  }

  /** Goes on with the coverage items of another contract; what was met of the same items stays met. */
  adopt(operations: readonly OperationItems[]): void {
    const { coverage } = this
    this.coverage = new Coverage(operations)
    this.coverage.merge(coverage)
  }

  merge(other: TrafficCounts): void {
    this.requests += other.requests
    this.coverage.merge(other.coverage)
    this.retries.merge(other.retries)
    this.contractFindings.merge(other.contractFindings)
  }
}

interface CollectorOptions {
  /** Returns the coverage items of all operations. It is first called at the first exchange. */
  readonly operations: () => readonly OperationItems[]
  /** The ids of the operations whose body has an idempotency key. */
  readonly idempotentOperations: Pick<ReadonlySet<string>, 'has'>
  readonly isMagicKey: IsMagicKey
  /** The largest number of sandboxes with counts of their own; a further sandbox retires the oldest. */
  readonly limit: number
}

/**
 * Collects the counts of every exchange of the clients, by sandbox. The console, which sends requests again, is no
 * client, nor are browsers and probes outside the contract. The evidence of a sandbox that is reset, cleared, deleted
 * or evicted still counts for all sandboxes, since a suite may reset between its tests.
 */
export class TrafficCollector {
  #options: CollectorOptions
  readonly #bySandbox = new Map<string, TrafficCounts>()
  /** The merged counts of retired sandboxes. */
  #retired: TrafficCounts | undefined

  constructor(options: CollectorOptions) {
    this.#options = options
  }

  adopt(operations: CollectorOptions['operations']): void {
    this.#options = { ...this.#options, operations }
    for (const evidence of this.#all()) evidence.adopt(operations())
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    if (isIgnoredRequest(entry)) return
    if (live.isCorrection) {
      this.#bySandbox.get(entry.sandbox)?.retries.correct(entry, live)
      return
    }
    let evidence = this.#bySandbox.get(entry.sandbox)
    if (!evidence) {
      const [oldest] = this.#bySandbox.keys()
      if (this.#bySandbox.size >= this.#options.limit && oldest !== undefined) this.retire(oldest)
      evidence = new TrafficCounts(this.#options)
      this.#bySandbox.set(entry.sandbox, evidence)
    }
    evidence.record(entry, live)
  }

  /** Moves the counts of a sandbox to that of all sandboxes; the sandbox begins again without any. */
  retire(sandbox: string): void {
    const evidence = this.#bySandbox.get(sandbox)
    if (!evidence) return
    this.#retired ??= new TrafficCounts(this.#options)
    this.#retired.merge(evidence)
    this.#bySandbox.delete(sandbox)
  }

  /** Returns the counts of a sandbox since it was last retired. `sandbox` undefined: that of all. */
  countsOf(sandbox: string | undefined): TrafficCounts {
    if (sandbox !== undefined) return this.#bySandbox.get(sandbox) ?? new TrafficCounts(this.#options)
    const all = new TrafficCounts(this.#options)
    for (const evidence of this.#all()) all.merge(evidence)
    return all
  }

  #all(): readonly TrafficCounts[] {
    return [...(this.#retired ? [this.#retired] : []), ...this.#bySandbox.values()]
  }
}
