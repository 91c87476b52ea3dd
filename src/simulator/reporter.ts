import type { Contract } from '../contract/contract.ts'
import { once } from '../core/once.ts'
import { version } from '../fixtures/bundled.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { Journal } from '../journal/journal.ts'
import { findIdempotentOperations } from '../reports/call-key.ts'
import { listCoverageItems } from '../reports/coverage-items.ts'
import { EvidenceCollector } from '../reports/evidence-collector.ts'
import type { FailCondition } from '../reports/fail-condition.ts'
import { HintFinder } from '../reports/hint-finder.ts'
import { Reporter } from '../reports/report.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Catalogue } from '../scenarios/definition.ts'
import type { World } from '../simulation/analytics.ts'
import { computeContractDigest } from './contract-digest.ts'
import { createPreviewer } from './previews.ts'

interface ReporterDeps {
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue
  readonly world: World
  readonly journal: Journal
  readonly sandboxes: Sandboxes
  /** Returns the machine's time, epoch milliseconds. */
  readonly now: () => number
  /** The conditions of `--fail-on`; empty for none. */
  readonly failOn: readonly FailCondition[]
  /** The largest number of sandboxes with evidence of their own. */
  readonly limit: number
}

/** Creates the reporter, with a collector that listens to the journal. */
export function createReporter(deps: ReporterDeps): Reporter {
  const { contract, fixtures, catalogue, world, journal, sandboxes, limit, now, failOn } = deps
  const keys = new Set(fixtures.keys.map(({ token }) => token))
  const collector = new EvidenceCollector({
    operations: listCoverageItems(contract),
    idempotentOperations: findIdempotentOperations(contract),
    isMagicKey: (token) => keys.has(token),
    limit,
  })
  journal.onEntry((entry, live) => collector.record(entry, live))
  journal.onClear((sandbox) => collector.retire(sandbox))
  const contractDigest = once(() => computeContractDigest(contract.document))
  return new Reporter({
    contract,
    collector,
    hintFinder: new HintFinder(catalogue, createPreviewer({ contract, fixtures, catalogue, world })),
    async contextOf(sandbox = defaultSandbox) {
      const { seed, clock } = await sandboxes.settings.read(sandbox)
      return { seed, now: clock.now }
    },
    async runOf(sandbox = defaultSandbox) {
      const { seed, clock } = await sandboxes.settings.read(sandbox)
      const digest = contractDigest()
      return { at: now(), version, command: undefined, seed, clock, contractDigest: digest, failOn }
    },
  })
}
