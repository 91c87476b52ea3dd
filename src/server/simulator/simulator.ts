/** `server/simulator/`: assembles a simulator from its parts. `start.ts` makes it listen. */
import { setMaxListeners } from 'node:events'
import { transferableAbortController } from 'node:util'
import type { Log } from '../../base/core/log.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { errorAt, type Findings } from '../../base/documents/source.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { type ActiveRule, ruleAppliedKey } from '../../service/scenarios/rules.ts'
import type { OpenedStore } from '../../state/file/file-store.ts'
import { showState } from '../../state/redis/location.ts'
import { type SandboxExport, type Store, StoreUnavailableError } from '../../state/store.ts'
import { Control } from '../control/control.ts'
import type { Handlers } from '../http/app.ts'
import type { EntryListener, Journal } from '../journal/journal.ts'
import type { FindPlannedFault } from '../pipeline/exchange.ts'
import type { Report, Reporter } from '../reports/report.ts'
import { parseGate } from '../reports/reported-run.ts'
import { TrafficCollector } from '../reports/traffic-collector.ts'
import { listUnmet } from '../reports/unmet.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import type { SandboxSettings } from '../sandboxes/settings.ts'
import { listOverlays } from '../settings/library-settings.ts'
import { readPageSettings, type Settings } from '../settings/settings.ts'
import { createGeneration, type Generation, type ProxiedService } from './generation.ts'
import { type LoadedInputs, listInputFiles, loadStartupInputs } from './loaded-inputs.ts'
import { createSandboxes, loadSeedState, openJournal, openState, withReplica } from './open-state.ts'
import { type ExampleRequest, findExampleRequest } from './ordinary-model.ts'
import { createFileWatcher, logWarnings, reloadOnChange, type Served, type WatchFiles } from './reload.ts'

/** A simulator without sockets, which takes requests and returns replies. */
export interface Simulator extends Handlers {
  readonly contract: Contract
  /** Returns a GET request that needs at most a model ID, as an example; undefined if there is none. */
  findExample(): ExampleRequest | undefined
  /** Returns the report on all sandboxes or, if the shared state is not responding, on this process's requests. */
  report(): Promise<Report>
  /** Aborted when the server stops, to end waiting requests (`POST /__sim/verify`, streams) and hanging deliveries. */
  readonly stopping: AbortController
  /** Aborted before the server stops. From then on, health checks return 503, but requests are still handled. */
  readonly draining: AbortController
  /** Returns why `close` cannot write the state (for example, because its folder was removed); undefined if it can. */
  findStateLoss(): Promise<string | undefined>
  close(): Promise<void>
}

export interface Dependencies {
  readonly now: () => number
  readonly log: Log
  readonly onExchange?: EntryListener
  readonly findPlannedFault?: FindPlannedFault
  readonly proxied?: ProxiedService | undefined
  /** True for a simulator that exists only for a test run. Default: true if `port` is 0. */
  readonly isTemporary?: boolean | undefined
}

export async function createSimulator(settings: Settings, deps: Dependencies): Promise<Result<Simulator, Findings>> {
  const { log, proxied } = deps
  let referencedFiles: ReadonlySet<string> = new Set()
  const load = async () => {
    const found = new Set<string>()
    const loaded = await loadStartupInputs(settings, log, proxied?.limitCatalogue, found)
    // After a failure, the document may refer to files that were not reached.
    referencedFiles = loaded.ok ? found : new Set([...referencedFiles, ...found])
    return loaded
  }
  const listFiles = () => [...listInputFiles(settings), ...referencedFiles]
  // The watcher is created before the files are read, so that no change is missed.
  const watch = settings.watch ? await createFileWatcher(listFiles) : undefined
  const inputs = await load()
  if (!inputs.ok) return inputs
  const seedState = await loadSeedState(settings.seedState)
  if (!seedState.ok) return seedState
  const opened = await openState(settings, log)
  if (!opened.ok) return opened
  const { store, loaded } = opened.value
  try {
    logWarnings(inputs.value.contract, log)
    if (seedState.value) await store.importSandbox(defaultSandbox, seedState.value, 'if-empty')
    const { contract, fixtures, catalogue } = inputs.value
    const counts = {
      contract: contract.file,
      operations: contract.operations.length,
      personas: fixtures.personas.length,
      models: fixtures.models.length,
      scenarios: catalogue.definitions.length,
    }
    log.info({ ...counts, state: { file: showState(settings.state), ...loaded } }, 'loaded')
    const prepared = { ...opened.value, inputs: inputs.value, load, seedState: seedState.value, watch }
    return success(await joinParts(withReplica(settings, opened.value), deps, prepared))
  } catch (error) {
    await store.close() // otherwise the state file stays locked until the process ends
    if (error instanceof StoreUnavailableError) return failure([errorAt('--state', error.message)])
    throw error
  }
}

/** The checked inputs and the opened state. `seedState` and `watch` are undefined unless the settings request them. */
interface PreparedParts extends OpenedStore {
  readonly inputs: LoadedInputs
  readonly load: () => Promise<Result<LoadedInputs, Findings>>
  readonly seedState: SandboxExport | undefined
  readonly watch: WatchFiles | undefined
}

async function joinParts(settings: Settings, deps: Dependencies, prepared: PreparedParts): Promise<Simulator> {
  const { now, log, findPlannedFault, proxied } = deps
  const { inputs, load, seedState, store, shared, watch } = prepared
  const current = () => served.current
  const journal = openJournal(settings, deps, shared)
  const sandboxes = await createSandboxes(settings, { now, log, store, shared, journal, rules: current })
  const state = { store, sandboxes, journal, log, findPlannedFault, proxied }
  const createNext = (number: number, next: LoadedInputs) => createGeneration(settings, state, number, next)
  const served: Served = { current: createNext(1, inputs), reloadFailure: undefined }
  const parts = { journal, sandboxes, store }
  const { reporter, reportAtEnd, keepUnmet, adopt } = createReporter(settings, deps, parts, current)
  const stopping = transferableAbortController() // from Node, even if happy-dom has replaced the global class
  const draining = new AbortController()
  setMaxListeners(0, stopping.signal) // unlimited, since each waiting request adds a listener
  const pages = readPageSettings(settings, proxied !== undefined)
  const control = new Control({
    token: settings.controlToken,
    log,
    served: current,
    reloadFailure: () => served.reloadFailure,
    control: inputs.control,
    sandboxes,
    store,
    draining: draining.signal,
    overlays: listOverlays(settings.overlay),
    isWatched: settings.watch,
    isTemporary: deps.isTemporary ?? settings.port === 0,
    stateLocation: showState(settings.state),
    journal,
    reporter,
    keepUnmet,
    explain: (request) => current().explain(request),
    seedState,
    pages,
    stopping: stopping.signal,
  })
  const { settings: sandboxSettings } = sandboxes
  const reloadDeps = { load, createGeneration: createNext, log, now, served, sandboxSettings, adopt }
  if (watch) reloadOnChange(watch, stopping.signal, reloadDeps)
  return {
    get contract() {
      return current().contract
    },
    findExample: () => findExampleRequest(current().contract, current().fixtures),
    service: (request) => served.current.service(request),
    control,
    requestIdPrefix: journal.requestIdPrefix,
    pages,
    report: reportAtEnd,
    stopping,
    draining,
    findStateLoss: () => store.findLoss(),
    async close() {
      stopping.abort()
      proxied?.close()
      await journal.close()
      await store.close()
    },
  }
}

function noneIfUnavailable(error: unknown): [] {
  if (error instanceof StoreUnavailableError) return []
  throw error
}

type ReadSettings = (sandbox: string) => Promise<Pick<SandboxSettings, 'seed' | 'clock'>>

function createReporter(
  settings: Settings,
  { now, log }: Dependencies,
  { journal, sandboxes, store }: { readonly journal: Journal; readonly sandboxes: Sandboxes; readonly store: Store },
  current: () => Generation,
) {
  const createCollector = () =>
    new TrafficCollector(current, settings.sandboxLimit, Math.max(settings.journalSize, 1000))
  const collector = createCollector()
  journal.onEntry((entry, live) => collector.record(entry, live))
  journal.onClear((sandbox) => collector.retire(sandbox))
  // Used for the final report if Redis is unavailable at that time.
  const local = journal.isShared ? createCollector() : collector
  if (local !== collector) journal.onOwnEntry((entry, live) => local.record(entry, live))
  const failOn = parseGate(settings.failOn, settings.allowNoRequests)
  const readUnmet = async (sandbox: string, traffic: TrafficCollector) => {
    const { rules } = await sandboxes.settings.read(sandbox)
    if (rules.length === 0) return []
    const counts = await store.listSequences(sandbox)
    const { sentCounts, appliedCounts } = traffic.ruleCountsOf(sandbox)
    // Restoring a snapshot resets the counts in the state, and clearing the journal resets the collector's counts.
    const countApplications = (rule: ActiveRule) =>
      Math.max(counts.get(ruleAppliedKey(rule)) ?? 0, appliedCounts.get(`sandbox ${rule.key}`) ?? 0)
    return listUnmet(rules, { sandbox, scope: 'sandbox' }, countApplications, sentCounts)
  }
  /** Before rules are removed, records those that were in effect for the last request but were never applied. */
  const keepUnmet = async (sandbox: string) => {
    const unmet = await readUnmet(sandbox, collector)
    if (unmet.length === 0) return
    const { rules } = await sandboxes.settings.read(sandbox)
    const counts = collector.ruleCountsOf(sandbox)
    const steering = new Set(counts.steering.split(','))
    counts.keepRemoved(unmet.filter(({ applied, index }) => applied === 0 && steering.has(rules[index]?.key ?? '')))
  }
  const createReport = async (traffic: TrafficCollector, sandbox: string | undefined, readSettings: ReadSettings) => {
    const { contract, contractDigest } = current()
    const { seed, clock } = await readSettings(sandbox ?? defaultSandbox)
    const run = { at: now(), version, command: undefined, seed, clock, contractDigest: contractDigest(), failOn }
    const { title, version: contractVersion } = contract
    const { ruleCounts, ...report } = traffic.report(sandbox, run)
    const names = sandbox === undefined ? sandboxes.list().map(({ name }) => name) : [sandbox]
    const sandboxUnmet = await Promise.all(names.map((name) => readUnmet(name, traffic))).catch(noneIfUnavailable)
    const location = { sandbox: '*', scope: 'startup' } as const
    const startupRules = sandbox === undefined ? current().startupRules : []
    const countApplications = ({ key }: ActiveRule) => ruleCounts.appliedCounts.get(`startup ${key}`) ?? 0
    const startupUnmet = listUnmet(startupRules, location, countApplications, ruleCounts.sentCounts)
    const unmet = [...ruleCounts.removed.values(), ...sandboxUnmet.flat(), ...startupUnmet]
    return { contract: { title, version: contractVersion }, run, sandbox, ...report, unmet }
  }
  const reporter: Reporter = async (sandbox) => {
    await journal.catchUp()
    const report = await createReport(collector, sandbox, (name) => sandboxes.settings.read(name))
    return journal.hasLoss(sandbox) ? { ...report, truncated: true } : report
  }
  /** At the end, reports on all sandboxes, or only on this process's requests if the shared state does not respond. */
  const reportAtEnd = (): Promise<Report> =>
    reporter(undefined).catch(async (error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error
      log.error({ reason: error.message }, 'the report covers only the requests to this process')
      const report = await createReport(local, undefined, async (sandbox) => sandboxes.settings.lastRead(sandbox))
      return { ...report, truncated: true }
    })
  const adopt = () => {
    for (const each of new Set([collector, local])) each.adopt()
  }
  return { reporter, reportAtEnd, keepUnmet, adopt }
}
