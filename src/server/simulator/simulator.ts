/** Puts the parts together: create, start, explain, seed state. `start.ts` makes the simulator listen. */
import { setMaxListeners } from 'node:events'
import type { Log } from '../../base/core/log.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { errorAt, type Findings } from '../../base/documents/finding.ts'
import type { Contract } from '../../service/contract/contract.ts'
import type { OpenedStore } from '../../state/file/file-store.ts'
import { showState } from '../../state/redis/location.ts'
import { type SandboxExport, StoreUnavailableError } from '../../state/store.ts'
import { Control } from '../control/control.ts'
import { controlHandlers } from '../control/handlers.ts'
import type { Handlers } from '../http/app.ts'
import type { EntryListener } from '../journal/journal.ts'
import type { FindPlannedFault } from '../pipeline/scenario.ts'
import type { Report } from '../reports/report.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import { splitList } from '../settings/setting.ts'
import { readPages, type Settings } from '../settings/settings.ts'
import { createGeneration, type ProxiedService } from './generation.ts'
import { type LoadedInputs, listInputFiles, loadStartInputs } from './loaded-inputs.ts'
import { createSandboxes, loadSeedState, openJournal, openState, withReplica } from './open-state.ts'
import { type ExampleRequest, findExampleRequest } from './ordinary-model.ts'
import { createFileWatcher, logFindings, reloadOnChange, type Served, type WatchFiles } from './reload.ts'
import { createReporter } from './reporter.ts'

/** Everything but the socket: requests in, replies out. */
export interface Simulator extends Handlers {
  readonly contract: Contract
  /** Returns a request to begin with; undefined where the contract has none that needs no more than a path. */
  findExample(): ExampleRequest | undefined
  /** Returns the report about the clients of all sandboxes so far, also while the shared state does not respond. */
  report(): Promise<Report>
  /** Aborted at a stop: ends the requests that wait, `POST /__sim/verify` and streams, and the deliveries that hang. */
  readonly stopping: AbortController
  /** Aborted before a stop, while requests are still handled: health is 503 from then on. */
  readonly draining: AbortController
  /** Says why the state is not written any more, not even by `close`: a removed state folder, for example. */
  findStateLoss(): Promise<string | undefined>
  /** Writes the state and releases its file. */
  close(): Promise<void>
}

/** Injected dependencies: clock and logger. */
export interface Dependencies {
  readonly now: () => number
  readonly log: Log
  /** Called for each recorded exchange. Default: nobody asks. */
  readonly onExchange?: EntryListener
  /** Plans faults for requests. Default: there are none. */
  readonly findPlannedFault?: FindPlannedFault
  /** The real service. Default: the simulator responds itself. */
  readonly proxied?: ProxiedService | undefined
}

/** Loads and checks all inputs, opens the state, and joins the parts. Does not listen. The error lists all findings. */
export async function createSimulator(settings: Settings, deps: Dependencies): Promise<Result<Simulator, Findings>> {
  const { log, proxied } = deps
  // Created before the files are read, so that no change is missed.
  const watch = settings.watch ? await createFileWatcher(() => listInputFiles(settings)) : undefined
  const inputs = await loadStartInputs(settings, log, proxied?.limitCatalogue)
  if (!inputs.ok) return inputs
  const seedState = await loadSeedState(settings.seedState)
  if (!seedState.ok) return seedState
  const opened = await openState(settings, log)
  if (!opened.ok) return opened
  const { store, loaded } = opened.value
  try {
    logFindings(inputs.value.contract.warnings, log)
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
    const start = { ...opened.value, inputs: inputs.value, seedState: seedState.value, watch }
    return success(await joinParts(withReplica(settings, opened.value), deps, start))
  } catch (error) {
    await store.close() // otherwise the file stays locked until the process ends
    if (error instanceof StoreUnavailableError) return failure([errorAt('--state', error.message)])
    throw error
  }
}

/** The checked inputs and the opened state of a start; a state to begin with and a watcher only with their flags. */
interface Start extends OpenedStore {
  readonly inputs: LoadedInputs
  readonly seedState: SandboxExport | undefined
  readonly watch: WatchFiles | undefined
}

async function joinParts(settings: Settings, deps: Dependencies, start: Start): Promise<Simulator> {
  const { now, log, findPlannedFault, proxied } = deps
  const { inputs, seedState, store, shared, watch } = start
  const present = () => served.present
  const journal = openJournal(settings, deps, shared)
  const sandboxes = await createSandboxes(settings, { now, log, store, shared, journal, rules: present })
  const state = { store, sandboxes, journal, log, findPlannedFault, proxied }
  const createNext = (number: number, next: LoadedInputs) => createGeneration(settings, state, number, next)
  const served: Served = { present: createNext(1, inputs), reloadFailure: undefined }
  const { reporter, reportAtEnd, adopt } = createReporter({ present, journal, log, sandboxes, settings, now })
  const [stopping, draining] = [new AbortController(), new AbortController()]
  setMaxListeners(0, stopping.signal) // one listener for each waiting request, of which there may be any number
  const pages = readPages(settings, proxied !== undefined)
  const handlers = controlHandlers({
    served: present,
    reloadFailure: () => served.reloadFailure,
    control: inputs.control,
    sandboxes,
    store,
    draining: draining.signal,
    overlays: splitList(settings.overlay),
    isWatched: settings.watch,
    stateFile: showState(settings.state),
    journal,
    reporter,
    explain: (request) => present().explain(request),
    seedState,
    corsOrigins: pages.cors,
    stopping: stopping.signal,
  })
  const onChange = (sandbox: string) => sandboxes.markChanged(sandbox)
  const { settings: sandboxSettings } = sandboxes
  const load = () => loadStartInputs(settings, log, proxied?.limitCatalogue)
  const reloading = { load, createGeneration: createNext, log, now, served, sandboxSettings, adopt }
  if (watch) reloadOnChange(watch, stopping.signal, reloading)
  return {
    get contract() {
      return present().contract
    },
    findExample: () => findExampleRequest(present().contract, present().fixtures),
    service: (request) => served.present.service(request),
    control: new Control({ contract: inputs.control, handlers, token: settings.controlToken, pages, onChange, log }),
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
