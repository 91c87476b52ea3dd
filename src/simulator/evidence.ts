import type { Contract } from '../contract/contract.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { Journal } from '../journal/journal.ts'
import { findIdempotentOperations } from '../reports/call-key.ts'
import { listCoverageItems } from '../reports/coverage-items.ts'
import { EvidenceCollector } from '../reports/evidence-collector.ts'
import { HintFinder } from '../reports/hint-finder.ts'
import { Reporter } from '../reports/report.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Catalogue } from '../scenarios/catalogue.ts'
import type { World } from '../simulation/analytics.ts'
import { previewer } from './previews.ts'

interface Parts {
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue
  readonly world: World
  readonly journal: Journal
  readonly sandboxes: Sandboxes
  /** Sandboxes whose evidence is kept apart. */
  readonly limit: number
}

/** Lets a witness see what the journal records, and makes the one who tells of it. */
export function createReporter({ journal, sandboxes, limit, ...parts }: Parts): Reporter {
  const { contract, catalogue } = parts
  const operations = listCoverageItems(contract)
  const keys = new Set(parts.fixtures.keys.map(({ token }) => token))
  const isMagicKey = (token: string) => keys.has(token)
  const collector = new EvidenceCollector({
    operations,
    idempotentOperations: findIdempotentOperations(contract),
    isMagicKey,
    limit,
  })
  journal.onEntry((entry, live) => collector.record(entry, live))
  journal.onClear((sandbox) => collector.retire(sandbox))
  return new Reporter({
    contract,
    collector,
    hintFinder: new HintFinder(catalogue, previewer(parts)),
    contextOf(whose) {
      // A look makes no sandbox: one that nobody has used is as the default one began.
      const own = sandboxes.list().find(({ name }) => name === whose)
      const { seed, clock } = own ?? sandboxes.use(defaultSandbox)
      return { seed, now: clock.now() }
    },
  })
}
