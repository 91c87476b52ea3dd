import { memoizeLast, once } from '../../base/core/memoize.ts'
import type { Contract } from '../../service/contract/contract.ts'
import type { JournalEntry, LiveExchange } from '../journal/entry.ts'
import { ContractFindings, RetryFindings } from './client-findings.ts'
import { Coverage, viewCoverage } from './coverage.ts'
import { OperationItems } from './coverage-items.ts'
import { TrafficFindings } from './findings.ts'
import type { HintFinder } from './hint-finder.ts'
import type { ReportedRun } from './reported-run.ts'

class TrafficCounts {
  readonly findings = new TrafficFindings()
  coverage: Coverage
  readonly retries: RetryFindings
  readonly #contractFindings: ContractFindings

  constructor(current: () => ReportedInputs, items: readonly OperationItems[], reach: number) {
    this.coverage = new Coverage(items)
    const has = (operation: string) => current().idempotentOperations().has(operation)
    this.retries = new RetryFindings(this.findings, { has }, reach)
    this.#contractFindings = new ContractFindings(this.findings, (token) => current().magicKeys().has(token))
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    this.findings.countRequest(entry)
    this.coverage.record(entry, live)
    this.retries.record(entry, live)
    this.#contractFindings.record(entry, live)
  }

  merge({ findings, coverage }: TrafficCounts): void {
    this.findings.merge(findings)
    this.coverage.merge(coverage)
  }
}

export interface ReportedInputs {
  readonly contract: Contract
  readonly hintFinder: () => HintFinder
  /** Returns the IDs of the operations whose body has a field for an idempotency key. */
  readonly idempotentOperations: () => ReadonlySet<string>
  /** Returns the magic keys, and their hashes, which a shared journal stores in place of the keys. */
  readonly magicKeys: () => ReadonlySet<string>
}

/**
 * Counts every exchange with a client, by sandbox. When a sandbox is reset, deleted or evicted, or its journal is
 * cleared, its counts remain in the total for all sandboxes, since a suite may reset its sandbox between tests.
 */
export class TrafficCollector {
  readonly #current: () => ReportedInputs
  readonly #limit: number
  readonly #reach: number
  readonly #bySandbox = new Map<string, TrafficCounts>()
  #retired: TrafficCounts | undefined
  readonly #itemsOf = memoizeLast(({ operations }: Contract) => operations.map((each) => new OperationItems(each)))

  /**
   * `limit`: the maximum number of sandboxes with separate counts; beyond it, the oldest is retired. `reach`: the
   * number of exchanges after which a failed call is no longer tracked for retries.
   */
  constructor(current: () => ReportedInputs, limit: number, reach: number) {
    this.#current = current
    this.#limit = limit
    this.#reach = reach
  }

  #createCounts(): TrafficCounts {
    return new TrafficCounts(this.#current, this.#itemsOf(this.#current().contract), this.#reach)
  }

  /** Switches to a new contract's coverage items. Covered items that the new contract still contains stay covered. */
  adopt(): void {
    for (const counts of this.#all()) {
      const { coverage } = this.#createCounts()
      coverage.merge(counts.coverage)
      counts.coverage = coverage
    }
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    if (isIgnoredRequest(entry)) return
    let counts = this.#bySandbox.get(entry.sandbox)
    if (live.isCorrection) {
      counts?.retries.correct(entry, live)
      return
    }
    if (!counts) {
      const [oldest] = this.#bySandbox.keys()
      if (this.#bySandbox.size >= this.#limit && oldest !== undefined) this.retire(oldest)
      counts = this.#createCounts()
      this.#bySandbox.set(entry.sandbox, counts)
    }
    counts.record(entry, live)
  }

  /** Adds the counts of a sandbox to those of retired sandboxes; the sandbox restarts at zero. */
  retire(sandbox: string): void {
    const counts = this.#bySandbox.get(sandbox)
    if (!counts) return
    this.#retired ??= this.#createCounts()
    this.#retired.merge(counts)
    this.#bySandbox.delete(sandbox)
  }

  /** Reports a sandbox's traffic since the sandbox was last retired or, if `sandbox` is undefined, all traffic. */
  report(sandbox: string | undefined, run: ReportedRun) {
    const { findings, coverage } = this.#countsOf(sandbox)
    const { hintFinder } = this.#current()
    return {
      ...findings.counts,
      findings: findings.toLists(),
      unjudged: findings.listUnjudged(),
      ruleCounts: findings,
      coverage: once(() => viewCoverage(coverage, hintFinder(), run)),
    }
  }

  ruleCountsOf(sandbox: string): Pick<TrafficFindings, 'sentCounts' | 'appliedCounts' | 'steering' | 'keepRemoved'> {
    return this.#countsOf(sandbox).findings
  }

  #countsOf(sandbox: string | undefined): TrafficCounts {
    const found = sandbox === undefined ? undefined : this.#bySandbox.get(sandbox)
    if (found) return found
    const all = this.#createCounts()
    if (sandbox === undefined) for (const counts of this.#all()) all.merge(counts)
    return all
  }

  #all(): readonly TrafficCounts[] {
    return [...(this.#retired ? [this.#retired] : []), ...this.#bySandbox.values()]
  }
}

const browserPath = /^\/(?:favicon|apple-touch-icon|browserconfig\.xml|robots\.txt|\.well-known\/)/i

/** The user agents of Kubernetes probes, load balancers and monitoring systems. */
const probeAgent = /^(?:kube-probe|ELB-HealthChecker|GoogleHC|Consul Health Check|Prometheus|Blackbox Exporter)\b/i

/**
 * Returns true for a request that the tested client did not send: a replay from the console, or a probe's or browser's
 * own request outside the contract. A script in a page (`Sec-Fetch-Dest: empty`) counts as a client.
 */
export function isIgnoredRequest({ operation, replayOf, request }: JournalEntry): boolean {
  const { method, path, headers } = request
  if (replayOf !== undefined) return true
  if (operation !== undefined || (method !== 'GET' && method !== 'HEAD')) return false
  const { 'sec-fetch-dest': destination = 'empty', 'user-agent': agent = '' } = headers
  return destination !== 'empty' || probeAgent.test(agent) || browserPath.test(path)
}
