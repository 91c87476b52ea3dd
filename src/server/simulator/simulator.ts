/** Assembles the parts: create, start, explain, seed state. `start.ts` makes the simulator listen. */
import { setMaxListeners } from 'node:events'
import { transferableAbortController } from 'node:util'
import type { Log } from '../../base/core/log.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { errorAt, type Findings } from '../../base/documents/source.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { type ActiveRule, ruleActedKey } from '../../service/scenarios/rules.ts'
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
import { readPages, type Settings } from '../settings/settings.ts'
import { createGeneration, type Generation, type ProxiedService } from './generation.ts'
import { type LoadedInputs, listInputFiles, loadStartInputs } from './loaded-inputs.ts'
import { createSandboxes, loadSeedState, openJournal, openState, withReplica } from './open-state.ts'
import { type ExampleRequest, findExampleRequest } from './ordinary-model.ts'
import { createFileWatcher, logWarnings, reloadOnChange, type Served, type WatchFiles } from './reload.ts'

/** A simulator without its sockets: requests in, replies out. */
export interface Simulator extends Handlers {
  readonly contract: Contract
  /** Returns a sample request; undefined if the contract has no operation that needs only a path. */
  findExample(): ExampleRequest | undefined
  /** Returns the report about the clients of all sandboxes so far, even while the shared state does not respond. */
  report(): Promise<Report>
  /** Aborted when the server stops: ends waiting requests (`POST /__sim/verify`, streams) and hanging deliveries. */
  readonly stopping: AbortController
  /** Aborted before the server stops: from then on health is 503, but requests are still handled. */
  readonly draining: AbortController
  /** Returns why the state can no longer be written, even by `close`, if so: for example, its folder was removed. */
  findStateLoss(): Promise<string | undefined>
  close(): Promise<void>
}

export interface Dependencies {
  readonly now: () => number
  readonly log: Log
  readonly onExchange?: EntryListener
  readonly findPlannedFault?: FindPlannedFault
  readonly proxied?: ProxiedService | undefined
  /** True for a simulator that exists only for a test run. Default: true if it picks a free port. */
  readonly isTemporary?: boolean | undefined
}

export async function createSimulator(settings: Settings, deps: Dependencies): Promise<Result<Simulator, Findings>> {
  const { log, proxied } = deps
  let contractFiles: readonly string[] = [] // a new file in this list counts as changed, and causes another reload
  const load = async () => {
    const loaded = await loadStartInputs(settings, log, proxied?.limitCatalogue)
    if (loaded.ok) contractFiles = loaded.value.contract.files
    return loaded
  }
  const listFiles = () => [...listInputFiles(settings), ...contractFiles]
  // Created before the files are read, so that no change is missed.
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
    const start = { ...opened.value, inputs: inputs.value, load, seedState: seedState.value, watch }
    return success(await joinParts(withReplica(settings, opened.value), deps, start))
  } catch (error) {
    await store.close() // otherwise the file stays locked until the process ends
    if (error instanceof StoreUnavailableError) return failure([errorAt('--state', error.message)])
    throw error
  }
}

/** The checked inputs and the opened state of a start. An initial state and a watcher are present only if requested. */
interface Start extends OpenedStore {
  readonly inputs: LoadedInputs
  readonly load: () => Promise<Result<LoadedInputs, Findings>>
  readonly seedState: SandboxExport | undefined
  readonly watch: WatchFiles | undefined
}

async function joinParts(settings: Settings, deps: Dependencies, start: Start): Promise<Simulator> {
  const { now, log, findPlannedFault, proxied } = deps
  const { inputs, load, seedState, store, shared, watch } = start
  const present = () => served.present
  const journal = openJournal(settings, deps, shared)
  const sandboxes = await createSandboxes(settings, { now, log, store, shared, journal, rules: present })
  const state = { store, sandboxes, journal, log, findPlannedFault, proxied }
  const createNext = (number: number, next: LoadedInputs) => createGeneration(settings, state, number, next)
  const served: Served = { present: createNext(1, inputs), reloadFailure: undefined }
  const counted = { journal, sandboxes, store }
  const { reporter, reportAtEnd, keepUnmet, adopt } = createReporter(settings, deps, counted, present)
  const stopping = transferableAbortController() // Node's own, even if happy-dom has replaced the global one
  const draining = new AbortController()
  setMaxListeners(0, stopping.signal) // unlimited, since each waiting request adds a listener
  const pages = readPages(settings, proxied !== undefined)
  const control = new Control({
    token: settings.controlToken,
    log,
    served: present,
    reloadFailure: () => served.reloadFailure,
    control: inputs.control,
    sandboxes,
    store,
    draining: draining.signal,
    overlays: listOverlays(settings.overlay),
    isWatched: settings.watch,
    isTemporary: deps.isTemporary ?? settings.port === 0,
    stateFile: showState(settings.state),
    journal,
    reporter,
    keepUnmet,
    explain: (request) => present().explain(request),
    seedState,
    pages,
    stopping: stopping.signal,
  })
  const { settings: sandboxSettings } = sandboxes
  const reloading = { load, createGeneration: createNext, log, now, served, sandboxSettings, adopt }
  if (watch) reloadOnChange(watch, stopping.signal, reloading)
  return {
    get contract() {
      return present().contract
    },
    findExample: () => findExampleRequest(present().contract, present().fixtures),
    service: (request) => served.present.service(request),
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
  present: () => Generation,
) {
  const createCollector = () =>
    new TrafficCollector(present, settings.sandboxLimit, Math.max(settings.journalSize, 1000))
  const collector = createCollector()
  journal.onEntry((entry, live) => collector.record(entry, live))
  journal.onClear((sandbox) => collector.retire(sandbox))
  // For the final report, in case Redis is unavailable at the end.
  const own = journal.isShared ? createCollector() : collector
  if (own !== collector) journal.onOwnEntry((entry, live) => own.record(entry, live))
  const failOn = parseGate(settings.failOn, settings.allowNoRequests)
  const readUnmet = async (sandbox: string, counted: TrafficCollector) => {
    const { rules } = await sandboxes.settings.read(sandbox)
    if (rules.length === 0) return []
    const used = await store.listSequences(sandbox)
    const { sent, acts } = counted.rulesOf(sandbox)
    // Restoring a snapshot resets the counts in the state, and clearing the journal resets those of the requests.
    const countActed = (rule: ActiveRule) => Math.max(used.get(ruleActedKey(rule)) ?? 0, acts.get(rule.key) ?? 0)
    return listUnmet(rules, { sandbox, scope: 'sandbox' }, countActed, sent)
  }
  /** Remembers rules that are about to be removed, if they never applied although requests were sent. */
  const keepUnmet = async (sandbox: string) => {
    const unmet = await readUnmet(sandbox, collector)
    if (unmet.length === 0) return
    const { rules } = await sandboxes.settings.read(sandbox)
    const counts = collector.rulesOf(sandbox)
    const steering = new Set(counts.steering.split(','))
    counts.keepRemoved(unmet.filter(({ acted, index }) => acted === 0 && steering.has(rules[index]?.key ?? '')))
  }
  const createReport = async (counted: TrafficCollector, sandbox: string | undefined, readSettings: ReadSettings) => {
    const { contract, contractDigest } = present()
    const { seed, clock } = await readSettings(sandbox ?? defaultSandbox)
    const run = { at: now(), version, command: undefined, seed, clock, contractDigest: contractDigest(), failOn }
    const { title, version: ofContract } = contract
    const { rules, ...report } = counted.report(sandbox, run)
    const names = sandbox === undefined ? sandboxes.list().map(({ name }) => name) : [sandbox]
    const ofSandboxes = await Promise.all(names.map((name) => readUnmet(name, counted))).catch(noneIfUnavailable)
    const place = { sandbox: '*', scope: 'start-up' } as const
    const startUp = sandbox === undefined ? present().startUp : []
    const unmetOfStart = listUnmet(startUp, place, (_, index) => rules.acts.get(index) ?? 0, rules.sent)
    const unmet = [...rules.removed.values(), ...ofSandboxes.flat(), ...unmetOfStart]
    return { contract: { title, version: ofContract }, run, sandbox, ...report, unmet }
  }
  const reporter: Reporter = async (sandbox) => {
    await journal.catchUp()
    const report = await createReport(collector, sandbox, (name) => sandboxes.settings.read(name))
    return journal.hasLoss(sandbox) ? { ...report, truncated: true } : report
  }
  /** Reports on all sandboxes at the end of the process; only on this process if the shared state does not respond. */
  const reportAtEnd = (): Promise<Report> =>
    reporter(undefined).catch(async (error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error
      log.error({ reason: error.message }, 'the report covers only the requests to this process')
      const report = await createReport(own, undefined, async (sandbox) => sandboxes.settings.lastRead(sandbox))
      return { ...report, truncated: true }
    })
  const adopt = () => {
    for (const each of new Set([collector, own])) each.adopt()
  }
  return { reporter, reportAtEnd, keepUnmet, adopt }
}
