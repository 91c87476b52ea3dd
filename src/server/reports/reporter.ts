import type { Contract } from '../../service/contract/contract.ts'
import type { Journal } from '../journal/journal.ts'
import { type CoverageView, viewCoverage } from './coverage-view.ts'
import type { FindingList } from './findings.ts'
import type { HintFinder } from './hint-finder.ts'
import type { FindingsReport, Report } from './report.ts'
import type { ReportedRun } from './reported-run.ts'
import type { TrafficCollector } from './traffic-collector.ts'

/** The name of the reported sandbox; undefined for all sandboxes. */
type SandboxFilter = string | undefined

type Truncation = Pick<FindingsReport, 'truncated'>

export interface ReporterDependencies {
  readonly contract: Pick<Contract, 'title' | 'version'>
  readonly collector: TrafficCollector
  /** Waits for exchanges of other replicas, and knows if some may be missing. */
  readonly journal: Pick<Journal, 'catchUp' | 'hasLoss'>
  readonly hintFinder: () => HintFinder
  /** Returns the run with the seed and the clock of a sandbox; undefined for the default sandbox. */
  readonly runOf: (sandbox: SandboxFilter) => Promise<ReportedRun>
}

export class Reporter {
  readonly #deps: ReporterDependencies

  constructor(deps: ReporterDependencies) {
    this.#deps = deps
  }

  async coverage(sandbox: SandboxFilter): Promise<CoverageView & Truncation> {
    await this.#deps.journal.catchUp()
    return { ...this.#viewCoverage(sandbox, await this.#deps.runOf(sandbox)), ...this.#findTruncation(sandbox) }
  }

  async retries(sandbox: SandboxFilter): Promise<FindingList & Truncation> {
    await this.#deps.journal.catchUp()
    const { retries } = this.#deps.collector.countsOf(sandbox)
    return { ...retries.findings.toList(), ...this.#findTruncation(sandbox) }
  }

  async report(sandbox: SandboxFilter): Promise<Report> {
    const report = await this.findings(sandbox)
    return { ...report, coverage: this.#viewCoverage(sandbox, report.run) }
  }

  /** Reports everything but the coverage. */
  async findings(sandbox: SandboxFilter): Promise<FindingsReport> {
    const { contract, collector, journal, runOf } = this.#deps
    await journal.catchUp()
    const { contractFindings, retries, requests } = collector.countsOf(sandbox)
    const { violations, unexpected, advice } = contractFindings
    return {
      contract: { title: contract.title, version: contract.version },
      run: await runOf(sandbox),
      sandbox,
      requests,
      violations: contractFindings.invalidRequestCount,
      unexpected: contractFindings.unexpectedResponseCount,
      expected: contractFindings.expectedCount,
      findings: {
        violations: violations.toList(),
        unexpected: unexpected.toList(),
        retries: retries.findings.toList(),
        advice: advice.toList(),
      },
      ...this.#findTruncation(sandbox),
    }
  }

  #viewCoverage(sandbox: SandboxFilter, run: ReportedRun): CoverageView {
    const { collector, hintFinder } = this.#deps
    return viewCoverage(collector.countsOf(sandbox).coverage, hintFinder(), run)
  }

  #findTruncation(sandbox: SandboxFilter): Truncation {
    return this.#deps.journal.hasLoss(sandbox) ? { truncated: true } : {}
  }
}
