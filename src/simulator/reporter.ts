import type { Settings } from '../config/settings.ts'
import { createLiveView } from '../core/live-view.ts'
import { version } from '../fixtures/bundled.ts'
import type { Journal } from '../journal/journal.ts'
import { hashToken } from '../journal/shared-entry.ts'
import { findIdempotentOperations } from '../reports/call-key.ts'
import { listCoverageItems } from '../reports/coverage-items.ts'
import { EvidenceCollector } from '../reports/evidence-collector.ts'
import { parseFailOn } from '../reports/parse-fail-on.ts'
import { Reporter } from '../reports/report.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Generation } from './generation.ts'

interface ReporterDeps {
  /** Returns the present generation. */
  readonly present: () => Generation
  readonly journal: Journal
  readonly sandboxes: Sandboxes
  /** Returns the machine's time, epoch milliseconds. */
  readonly now: () => number
  readonly settings: Pick<Settings, 'failOn' | 'sandboxLimit'>
}

/** A reporter, and what it needs when the inputs were loaded again. */
interface LiveReporter {
  readonly reporter: Reporter
  /** Goes on with the contract and the keys of the present generation. */
  readonly adopt: () => void
}

/** Creates the reporter, with a collector that listens to the journal. */
export function createReporter({ present, journal, sandboxes, settings, now }: ReporterDeps): LiveReporter {
  const failOn = parseFailOn(settings.failOn ?? '') ?? []
  const read = () => {
    const { fixtures, contract } = present()
    const keys = new Set(fixtures.keys.flatMap(({ token }) => [token, hashToken(token)])) // a shared journal has hashes
    return { keys, idempotent: findIdempotentOperations(contract) }
  }
  let known = read()
  const collector = new EvidenceCollector({
    operations: listCoverageItems(present().contract),
    idempotentOperations: { has: (operation) => known.idempotent.has(operation) },
    isMagicKey: (token) => known.keys.has(token),
    limit: settings.sandboxLimit, // of sandboxes with evidence of their own
  })
  journal.onEntry((entry, live) => collector.record(entry, live))
  journal.onClear((sandbox) => collector.retire(sandbox))
  const reporter = new Reporter({
    contract: createLiveView(() => present().contract),
    collector,
    journal,
    hintFinder: () => present().hintFinder(),
    async contextOf(sandbox = defaultSandbox) {
      const { seed, clock } = await sandboxes.settings.read(sandbox)
      return { seed, now: clock.now }
    },
    async runOf(sandbox = defaultSandbox) {
      const { seed, clock } = await sandboxes.settings.read(sandbox)
      const contractDigest = present().contractDigest()
      return { at: now(), version, command: undefined, seed, clock, contractDigest, failOn }
    },
  })
  return {
    reporter,
    adopt() {
      known = read()
      collector.adopt(listCoverageItems(present().contract))
    },
  }
}
