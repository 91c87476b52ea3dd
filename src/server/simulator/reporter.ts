import type { Log } from '../../base/core/log.ts'
import { memoizeLast } from '../../base/core/memoize.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { StoreUnavailableError } from '../../state/store.ts'
import type { Journal } from '../journal/journal.ts'
import { OperationItems } from '../reports/coverage-items.ts'
import type { Report, Reporter } from '../reports/report.ts'
import { parseGate } from '../reports/reported-run.ts'
import { TrafficCollector } from '../reports/traffic-collector.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import type { SandboxSettings } from '../sandboxes/settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { Generation } from './generation.ts'

type ReadSettings = (sandbox: string) => Promise<Pick<SandboxSettings, 'seed' | 'clock'>>

interface ReporterDeps {
  readonly present: () => Generation
  readonly journal: Journal
  readonly log: Log
  readonly sandboxes: Sandboxes
  /** Returns the machine's time, epoch milliseconds. */
  readonly now: () => number
  readonly settings: Pick<Settings, 'failOn' | 'allowNoRequests' | 'sandboxLimit'>
}

export function createReporter({ present, journal, log, sandboxes, settings, now }: ReporterDeps) {
  const itemsOf = memoizeLast(({ operations }: Contract) => operations.map((one) => new OperationItems(one)))
  const createCollector = () =>
    new TrafficCollector({
      operations: () => itemsOf(present().contract),
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
  const createReport = async (counted: TrafficCollector, sandbox: string | undefined, readSettings: ReadSettings) => {
    const { contract, contractDigest, hintFinder } = present()
    const { seed, clock } = await readSettings(sandbox ?? defaultSandbox)
    const run = { at: now(), version, command: undefined, seed, clock, contractDigest: contractDigest(), failOn }
    const { title, version: ofContract } = contract
    return { contract: { title, version: ofContract }, run, sandbox, ...counted.report(sandbox, run, hintFinder) }
  }
  const reporter: Reporter = async (sandbox) => {
    await journal.catchUp()
    const report = await createReport(collector, sandbox, (name) => sandboxes.settings.read(name))
    return journal.hasLoss(sandbox) ? { ...report, truncated: true } : report
  }
  return {
    reporter,
    /** Reports on all sandboxes at the end of the process, or on this process if the shared state does not respond. */
    async reportAtEnd(): Promise<Report> {
      try {
        return await reporter(undefined)
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error
        log.error({ reason: error.message }, 'the report has the requests to this process alone')
        const report = await createReport(own, undefined, async (sandbox) => sandboxes.settings.lastRead(sandbox))
        return { ...report, truncated: true }
      }
    },
    adopt() {
      for (const each of new Set([collector, own])) each.adopt()
    },
  }
}
