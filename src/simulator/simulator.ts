/**
 * Puts the parts together: create, start, explain, seed state.
 * `createSimulator` loads and joins them, `start.ts` makes the simulator listen.
 */
import { setMaxListeners } from 'node:events'
import type { Settings } from '../config/settings.ts'
import type { Contract } from '../contract/contract.ts'
import type { Fallback } from '../contract/fallback.ts'
import { createControl } from '../control/control.ts'
import { controlHandlers } from '../control/handlers.ts'
import type { Log } from '../core/log.ts'
import { type Result, success } from '../core/result.ts'
import type { Findings } from '../documents/finding.ts'
import { immediateDelivery, type OutgoingReply } from '../exchange/delivery.ts'
import type { Reply } from '../exchange/reply.ts'
import type { SimRequest } from '../exchange/request.ts'
import { version } from '../fixtures/bundled.ts'
import { type EntryListener, Journal } from '../journal/journal.ts'
import { createHandlers, type OperationDeps } from '../operations/index.ts'
import { createPipeline, type Pipeline } from '../pipeline/pipeline.ts'
import type { FindPlannedFault } from '../pipeline/scenario-sources.ts'
import { parseFailOn } from '../reports/parse-fail-on.ts'
import type { Report } from '../reports/report.ts'
import { createWorld } from '../simulation/world.ts'
import type { SandboxExport, Store } from '../state/store.ts'
import type { UpstreamClient, UpstreamTarget } from '../upstream/forward.ts'
import { withFittingDocument } from './check-operations.ts'
import { createFallbackIfNeeded } from './create-fallback.ts'
import { createSandboxes } from './create-sandboxes.ts'
import { type ExampleRequest, findExampleRequest } from './example-request.ts'
import { createExplain, type PipelineState } from './explain.ts'
import { countInputs, type LoadedInputs, loadInputs } from './loaded-inputs.ts'
import {
  createLimitLookup,
  createModelCheck,
  indexProductsByModel,
  indexScenariosByModel,
  readGuardSettings,
} from './lookups.ts'
import { openState } from './open-state.ts'
import { createReporter } from './reporter.ts'
import { loadSeedState, seedDefaultSandbox } from './seed-state.ts'

/** Everything but the socket: requests in, replies out. */
export interface Simulator {
  readonly contract: Contract
  /** Returns a request to begin with; undefined where the contract has none that needs no more than a path. */
  findExample(): ExampleRequest | undefined
  /** Replies to a request to the simulated service. */
  service(request: SimRequest): Promise<OutgoingReply>
  /** Refuses a request to the control plane by its head alone; undefined: its body may be read. */
  controlRefusal(head: SimRequest): Reply | undefined
  /** Returns true for an import of a sandbox, whose body may be as large as `--import-limit`. */
  isImport(head: SimRequest): boolean
  /** Replies to a request to the control plane. `gone` is aborted when the client disconnects. */
  control(request: SimRequest, gone: AbortSignal): Promise<OutgoingReply>
  /** Returns the report about the clients of all sandboxes. */
  report(): Promise<Report>
  /** Aborted at a stop: ends the requests that wait, `POST /__sim/verify` and streams, and the deliveries that hang. */
  readonly stopping: AbortController
  /** Says why the state is not written any more, also at the stop. Undefined: it is written. */
  findStateLoss(): Promise<string | undefined>
  /** Writes the state and releases its file. */
  close(): Promise<void>
}

/** Injected dependencies: clock, logger, and the end of the process. */
export interface Dependencies {
  /** Returns epoch milliseconds. */
  readonly now: () => number
  readonly log: Log
  /** Ends the process, since the state in memory is wrong. Default: throws, and all later writes are refused. */
  readonly fatal?: (problem: string) => never
  /** Called for each recorded exchange. Default: nobody asks. */
  readonly onExchange?: EntryListener
  /** Plans faults for requests. Default: there are none. */
  readonly findPlannedFault?: FindPlannedFault
  /** The real service, for a proxy. Default: the simulator answers itself. */
  readonly upstream?: UpstreamTarget | undefined
}

/** Loads and checks all inputs, opens the state, and joins the parts. Does not listen. The error lists all findings. */
export async function createSimulator(
  settings: Settings,
  dependencies: Dependencies,
): Promise<Result<Simulator, Findings>> {
  const isProxy = dependencies.upstream !== undefined
  const inputs = await loadInputs(settings, isProxy)
  if (!inputs.ok) return inputs
  const seedState = await loadSeedState(settings.seedState)
  if (!seedState.ok) return seedState
  const fallback = isProxy
    ? success(undefined)
    : await createFallbackIfNeeded(inputs.value.contract, dependencies.log)
  if (!fallback.ok) return fallback
  const opened = await openState(settings, dependencies.log, dependencies.fatal)
  if (!opened.ok) return opened
  const { store, loaded } = opened.value
  try {
    await seedDefaultSandbox(store, seedState.value)
    dependencies.log.info(
      { ...countInputs(inputs.value), state: { file: settings.state, ...loaded } },
      'loaded',
    )
    const all = { ...inputs.value, fallback: fallback.value }
    return success(await assemble(settings, dependencies, all, seedState.value, store))
  } catch (error) {
    await store.close() // otherwise the file stays locked until the process ends
    throw error
  }
}

/** The inputs of a start, with the replies for operations without a handler. */
interface StartInputs extends LoadedInputs {
  readonly fallback: Fallback | undefined
}

/** Creates every part with its dependencies, from the journal up to the control plane. */
async function assemble(
  settings: Settings,
  { now, log, onExchange, findPlannedFault, upstream: target }: Dependencies,
  inputs: StartInputs,
  seedState: SandboxExport | undefined,
  store: Store,
): Promise<Simulator> {
  const { contract, control, fixtures, catalogue } = inputs
  for (const { place, message } of contract.warnings) log.warn({ place }, message)
  const world = createWorld(fixtures)
  const productsOfModel = indexProductsByModel(fixtures)
  const journal = new Journal(settings.journalSize)
  if (onExchange) journal.onEntry(onExchange)
  const sandboxes = await createSandboxes(settings, { now, store, journal, log })
  const reporter = createReporter({
    contract,
    fixtures,
    catalogue,
    world,
    journal,
    sandboxes,
    limit: settings.sandboxLimit,
    now,
    failOn: parseFailOn(settings.failOn ?? '') ?? [],
  })
  const upstream = target && (await connectUpstream(target))
  const { answers } = fixtures
  const operations = { contract, world, productsOfModel, answers, cacheSize: settings.cacheSize }
  const handled = new Set(createHandlers({ ...operations, store }).keys())
  const createPipelineOver = createPipelineFactory(settings, inputs, operations)
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // one listener for each waiting request, of which there may be any number
  const handlers = controlHandlers({
    version,
    contract,
    controlContract: control,
    catalogue,
    fixtures,
    startUp: inputs.startUp,
    sandboxes,
    store,
    seedState,
    journal,
    journalSize: settings.journalSize,
    reporter,
    stateFile: settings.state,
    cors: settings.cors,
    handledOperations: handled,
    productsOfModel,
    stopping: stopping.signal,
    explain: createExplain({ store, sandboxes, log, upstream, createPipelineOver }),
  })
  const controls = createControl(control, handlers, readGuardSettings(settings), log)
  return {
    contract,
    findExample: () => findExampleRequest(contract, fixtures),
    service: createPipelineOver({ store, sandboxes, journal, log, findPlannedFault, upstream }),
    controlRefusal: controls.refusal,
    isImport: controls.isImport,
    control: async (request, gone) => ({
      reply: await controls.answer(request, gone),
      delivery: immediateDelivery,
      date: undefined,
    }),
    report: () => reporter.report(undefined),
    stopping,
    findStateLoss: () => store.findLoss(),
    close() {
      upstream?.close()
      return store.close()
    },
  }
}

/** Creates the client of the real service. Only a proxy loads it, with Node's modules for TLS. */
async function connectUpstream(target: UpstreamTarget): Promise<UpstreamClient> {
  const { createUpstreamClient } = await import('../upstream/forward.ts')
  return createUpstreamClient(target)
}

/** Creates a function that creates a pipeline over the simulator's state, or over the copy of it for `POST /__sim/explain`. */
function createPipelineFactory(
  settings: Settings,
  { contract, fixtures, catalogue, startUp, fallback }: StartInputs,
  operations: Omit<OperationDeps, 'store'>,
): (state: PipelineState) => Pipeline {
  const { productsOfModel } = operations
  return ({ store, sandboxes, journal, log, findPlannedFault, upstream }) =>
    createPipeline({
      contract,
      fixtures,
      sandboxes,
      store,
      handlers: upstream
        ? withFittingDocument(createHandlers({ ...operations, store }), contract, fixtures)
        : createHandlers({ ...operations, store }),
      fallback,
      upstream,
      scenarios: {
        catalogue,
        ofModel: indexScenariosByModel(fixtures),
        productsOfModel,
        startUp,
        findPlannedFault,
      },
      planOfUnknownKeys: settings.plan,
      limitOf: createLimitLookup(settings, fixtures),
      isModel: createModelCheck(settings, fixtures),
      strict: settings.strict,
      headers: settings,
      logBodies: settings.logBodies,
      journal,
      log,
    })
}
