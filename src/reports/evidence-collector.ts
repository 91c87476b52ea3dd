import type { JournalEntry } from '../journal/entry.ts'
import type { LiveExchange } from '../journal/journal.ts'
import { ContractFindings, type IsMagicKey } from './contract-findings.ts'
import { Coverage } from './coverage.ts'
import type { OperationItems } from './coverage-items.ts'
import { Manners } from './manners.ts'

/** What is known of the clients of a sandbox, or of all. */
export class ClientEvidence {
  /** Exchanges, refused or not. */
  requests = 0
  readonly coverage: Coverage
  readonly manners: Manners
  readonly contractFindings: ContractFindings

  constructor({ plan, idempotent, isMagicKey }: Omit<EvidenceParts, 'limit'>) {
    this.coverage = new Coverage(plan)
    this.manners = new Manners(idempotent)
    this.contractFindings = new ContractFindings(isMagicKey)
  }

  record(entry: JournalEntry, whole: LiveExchange): void {
    this.requests += 1
    this.coverage.record(entry, whole)
    this.manners.record(entry, whole)
    this.contractFindings.record(entry, whole)
  }

  merge(other: ClientEvidence): void {
    this.requests += other.requests
    this.coverage.merge(other.coverage)
    this.manners.merge(other.manners)
    this.contractFindings.merge(other.contractFindings)
  }
}

export interface EvidenceParts {
  readonly plan: readonly OperationItems[]
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
export class EvidenceCollector {
  readonly plan: readonly OperationItems[]
  readonly #parts: EvidenceParts
  readonly #bySandbox = new Map<string, ClientEvidence>()
  readonly #gone: ClientEvidence

  constructor(parts: EvidenceParts) {
    this.plan = parts.plan
    this.#parts = parts
    this.#gone = this.#none()
  }

  record(entry: JournalEntry, whole: LiveExchange): void {
    let evidence = this.#bySandbox.get(entry.sandbox)
    if (!evidence) {
      const [oldest] = this.#bySandbox.keys()
      if (this.#bySandbox.size >= this.#parts.limit && oldest !== undefined) this.retire(oldest)
      evidence = this.#none()
      this.#bySandbox.set(entry.sandbox, evidence)
    }
    evidence.record(entry, whole)
  }

  /** Lets a sandbox begin anew. */
  retire(sandbox: string): void {
    const evidence = this.#bySandbox.get(sandbox)
    if (evidence) this.#gone.merge(evidence)
    this.#bySandbox.delete(sandbox)
  }

  /** Of one sandbox since it began, or of everything that the process has seen. */
  of(sandbox: string | undefined): ClientEvidence {
    if (sandbox !== undefined) return this.#bySandbox.get(sandbox) ?? this.#none()
    const all = this.#none()
    for (const evidence of [this.#gone, ...this.#bySandbox.values()]) all.merge(evidence)
    return all
  }

  #none(): ClientEvidence {
    return new ClientEvidence(this.#parts)
  }
}
