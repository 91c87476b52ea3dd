import type { Contract } from '../contract/contract.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { Journal } from '../journal/journal.ts'
import { idempotentOperations } from '../reports/calls.ts'
import { Reporter } from '../reports/model.ts'
import { coverageItems } from '../reports/points.ts'
import { HintFinder } from '../reports/ways.ts'
import { EvidenceCollector } from '../reports/witness.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Catalogue } from '../scenarios/definition.ts'
import type { World } from '../simulation/analytics.ts'
import { createPreviewer } from './previews.ts'

interface ReporterDeps {
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue
  readonly world: World
  readonly journal: Journal
  readonly sandboxes: Sandboxes
  /** The number of sandboxes with evidence of their own at most. */
  readonly limit: number
}

/** Creates the reporter, and feeds its evidence from the journal. */
export function createReporter(deps: ReporterDeps): Reporter {
  const { contract, fixtures, catalogue, world, journal, sandboxes, limit } = deps
  const plan = coverageItems(contract)
  const keys = new Set(fixtures.keys.map(({ token }) => token))
  const isMagicKey = (token: string) => keys.has(token)
  const witness = new EvidenceCollector({
    plan,
    idempotent: idempotentOperations(contract),
    isMagicKey,
    limit,
  })
  journal.onEntry((entry, whole) => witness.record(entry, whole))
  journal.onClear((sandbox) => witness.retire(sandbox))
  return new Reporter({
    contract,
    witness,
    ways: new HintFinder(catalogue, createPreviewer({ contract, fixtures, catalogue, world })),
    placeOf(whose) {
      // A report creates no sandbox: the seed and time of an unused sandbox are those of `default`.
      const own = sandboxes.list().find(({ name }) => name === whose)
      const { seed, clock } = own ?? sandboxes.use(defaultSandbox)
      return { seed, now: clock.now() }
    },
  })
}
