/** Puts the parts together: create, start, explain, seed state. `start.ts` makes the simulator listen. */
import { setMaxListeners } from 'node:events'
import { createLiveView } from '../../base/core/live-view.ts'
import type { Log } from '../../base/core/log.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { errorAt, type Findings } from '../../base/documents/finding.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { immediateDelivery, type OutgoingReply } from '../../service/exchange/delivery.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { handledOperations } from '../../service/operations/index.ts'
import type { OpenedStore } from '../../state/file/file-store.ts'
import { showState } from '../../state/redis/location.ts'
import { type SandboxExport, StoreUnavailableError } from '../../state/store.ts'
import { createControl } from '../control/control.ts'
import type { DocumentState } from '../control/deps.ts'
import { featureHandlers } from '../control/feature-controls.ts'
import { controlHandlers } from '../control/handlers.ts'
import type { EntryListener } from '../journal/journal.ts'
import type { FindPlannedFault } from '../pipeline/scenario-sources.ts'
import type { FindingsReport, Report } from '../reports/report.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import { splitList } from '../settings/setting.ts'
import type { Settings } from '../settings/settings.ts'
import { createSandboxes } from './create-sandboxes.ts'
import { createExplain, type ProxiedService } from './explain.ts'
import { createGeneration } from './generation.ts'
import { listInputFiles, loadStartInputs, type StartInputs } from './loaded-inputs.ts'
import { readCorsOrigins, readGuardSettings } from './lookups.ts'
import { loadSeedState, openJournal, openState, withReplica } from './open-state.ts'
import { type ExampleRequest, findExampleRequest } from './ordinary-model.ts'
import { logFindings, reloadOnChange, type ServedInputs } from './reload.ts'
import { createReporter } from './reporter.ts'
import { createFileWatcher, type WatchFiles } from './watch-files.ts'

/** Everything but the socket: requests in, replies out. */
export interface Simulator {
  readonly contract: Contract
  /** Returns the digest of the contract: `sha256:...`. */
  contractDigest(): string
  /** Returns a request to begin with; undefined where the contract has none that needs no more than a path. */
  findExample(): ExampleRequest | undefined
  /** Replies to a request to the simulated service. */
  service(request: SimRequest): Promise<OutgoingReply>
  /** Refuses a request to the control plane by its head alone, or returns undefined if its body may be read. */
  controlRefusal(head: SimRequest): Reply | undefined
  /** Returns true for an import of a sandbox, whose body may be larger than others. */
  isImport(head: SimRequest): boolean
  /** Replies to a request to the control plane. `gone` is aborted when the client disconnects. */
  control(request: SimRequest, gone: AbortSignal): Promise<OutgoingReply>
  /** The first part of the ids of requests to the service. */
  readonly requestIdPrefix: string
  /** Returns the report about the clients of all sandboxes so far, also while the shared state does not respond. */
  report(): Promise<Report>
  /** Returns that report without the coverage, which takes the most time. The shared state must respond. */
  findings(): Promise<FindingsReport>
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
export async function createSimulator(
  settings: Settings,
  dependencies: Dependencies,
): Promise<Result<Simulator, Findings>> {
  const { log, proxied } = dependencies
  // Created before the files are read, so that no change is missed.
  const watch = settings.watch ? await createFileWatcher(() => listInputFiles(settings)) : undefined
  const inputs = await loadStartInputs(settings, log, proxied)
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
    return success(await joinParts(withReplica(settings, opened.value), dependencies, start))
  } catch (error) {
    await store.close() // otherwise the file stays locked until the process ends
    if (error instanceof StoreUnavailableError) return failure([errorAt('--state', error.message)])
    throw error
  }
}

/** The checked inputs and the opened state of a start; a state to begin with and a watcher only with their flags. */
interface Start extends OpenedStore {
  readonly inputs: StartInputs
  readonly seedState: SandboxExport | undefined
  readonly watch: WatchFiles | undefined
}

/** Joins the parts, from the journal up to the control plane. */
async function joinParts(settings: Settings, deps: Dependencies, start: Start): Promise<Simulator> {
  const { now, log, findPlannedFault, proxied } = deps
  const { inputs, seedState, store, shared, watch } = start
  const present = () => served.present
  const journal = openJournal(settings, deps, present, shared)
  const sandboxes = await createSandboxes(settings, { now, log, store, shared, journal, rules: present })
  const state = { store, sandboxes, journal, log, findPlannedFault, proxied }
  const served: ServedInputs = { present: createGeneration(1, settings, inputs, state), failure: undefined }
  const contract = createLiveView(() => present().contract)
  const { reporter, reportAtEnd, adopt } = createReporter({ present, journal, log, sandboxes, settings, now })
  const [stopping, draining] = [new AbortController(), new AbortController()]
  setMaxListeners(0, stopping.signal) // one listener for each waiting request, of which there may be any number
  const handlers = {
    ...controlHandlers({
      contract,
      controlContract: inputs.control,
      catalogue: createLiveView(() => present().catalogue),
      fixtures: createLiveView(() => present().fixtures),
      documents: () => describeDocuments(settings, served),
      startUp: () => present().startUp,
      sandboxes,
      store,
      seedState,
      journal,
      reporter,
      stateFile: showState(settings.state),
      corsOrigins: readCorsOrigins(settings, proxied !== undefined),
      handledOperations: new Set(handledOperations.map(({ operationId }) => operationId)),
      productsOfModel: () => present().productsOfModel,
      stopping: stopping.signal,
      draining: draining.signal,
      explain: createExplain(state, sandboxes, (copy) => present().createPipelineOver(copy)),
    }),
    ...featureHandlers((request, gone) => controls.response(request, gone)),
  }
  const controls = createControl(inputs.control, handlers, readGuardSettings(settings), log)
  if (watch) reloadOnChange(watch, stopping.signal, { settings, state, served, adopt, now })
  return {
    contract,
    contractDigest: () => present().contractDigest(),
    findExample: () => findExampleRequest(contract, present().fixtures),
    service: (request) => present().service(request),
    controlRefusal: controls.refusal,
    isImport: controls.isImport,
    control: async (request, gone) => replyAtOnce(await controls.response(request, gone)),
    requestIdPrefix: journal.requestIdPrefix,
    report: reportAtEnd,
    findings: () => reporter.findings(undefined),
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

function describeDocuments({ overlay, watch }: Settings, { present, failure }: ServedInputs): DocumentState {
  const { contractDigest, number: generation } = present
  return { digest: contractDigest(), generation, overlays: splitList(overlay), isWatched: watch, failure }
}

const replyAtOnce = (reply: Reply): OutgoingReply => ({ reply, delivery: immediateDelivery, date: undefined })
