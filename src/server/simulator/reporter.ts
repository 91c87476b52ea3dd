import { createLiveView } from '../../base/core/live-view.ts'
import type { Log } from '../../base/core/log.ts'
import { once } from '../../base/core/memoize.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { StoreUnavailableError } from '../../state/store.ts'
import type { Journal } from '../journal/journal.ts'
import { listCoverageItems } from '../reports/coverage-items.ts'
import { parseGate } from '../reports/parse-fail-on.ts'
import { type Report, Reporter, type ReporterDependencies } from '../reports/report.ts'
import { TrafficCollector } from '../reports/traffic-collector.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import type { SandboxSettings } from '../sandboxes/settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { Generation } from './generation.ts'

/** Reads the settings of a sandbox. */
type ReadSettings = (sandbox: string) => Promise<SandboxSettings>

interface ReporterDeps {
  readonly present: () => Generation
  readonly journal: Journal
  readonly log: Log
  readonly sandboxes: Sandboxes
  /** Returns the machine's time, epoch milliseconds. */
  readonly now: () => number
  readonly settings: Pick<Settings, 'failOn' | 'allowNoRequests' | 'sandboxLimit'>
}

/** Creates the reporter, with a collector that listens to the journal. */
export function createReporter({ present, journal, log, sandboxes, settings, now }: ReporterDeps) {
  const listItems = () => once(() => listCoverageItems(present().contract))
  const createCollector = () =>
    new TrafficCollector({
      operations: listItems(),
      idempotentOperations: { has: (operation) => present().idempotentOperations().has(operation) },
      isMagicKey: (token) => present().magicKeys().has(token),
      limit: settings.sandboxLimit, // of sandboxes with counts of their own
    })
  const collector = createCollector()
  journal.onEntry((entry, live) => collector.record(entry, live))
  journal.onClear((sandbox) => collector.retire(sandbox))
  // For the report at the end, if Redis is away then.
  const own = journal.isShared ? createCollector() : collector
  if (own !== collector) journal.onOwnEntry((entry, live) => own.record(entry, live))
  const failOn = parseGate(settings.failOn, settings.allowNoRequests)
  const joinReporter = (parts: Pick<ReporterDependencies, 'collector' | 'journal'>, readSettings: ReadSettings) =>
    new Reporter({
      ...parts,
      contract: createLiveView(() => present().contract),
      hintFinder: () => present().hintFinder(),
      async contextOf(sandbox = defaultSandbox) {
        const { seed, clock } = await readSettings(sandbox)
        return { seed, now: clock.now }
      },
      async runOf(sandbox = defaultSandbox) {
        const { seed, clock } = await readSettings(sandbox)
        const contractDigest = present().contractDigest()
        return { at: now(), version, command: undefined, seed, clock, contractDigest, failOn }
      },
    })
  const reporter = joinReporter({ collector, journal }, (sandbox) => sandboxes.settings.read(sandbox))
  return {
    reporter,
    /** Reports on all sandboxes at the end of the process, or on this process if the shared state does not respond. */
    async reportAtEnd(): Promise<Report> {
      try {
        return await reporter.report(undefined)
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error
        log.error({ reason: error.message }, 'the report has the requests to this process alone')
        const alone = { collector: own, journal: { catchUp: async () => {}, hasLoss: () => true } }
        return joinReporter(alone, async (sandbox) => sandboxes.settings.lastRead(sandbox)).report(undefined)
      }
    },
    /** Goes on with the contract of the present generation. */
    adopt() {
      for (const each of new Set([collector, own])) each.adopt(listItems())
    },
  }
}
