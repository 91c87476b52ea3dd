import { setMaxListeners } from 'node:events'
import type { Settings } from '../config/settings.ts'
import type { Contract } from '../contract/contract.ts'
import { createFallback, type Fallback } from '../contract/fallback.ts'
import { createControl } from '../control/control.ts'
import { controlHandlers } from '../control/handlers.ts'
import type { Seen } from '../control/seen.ts'
import type { Awaitable } from '../core/awaitable.ts'
import { parseDuration, parseNow } from '../core/instant.ts'
import type { Log } from '../core/log.ts'
import type { Result } from '../core/result.ts'
import type { Findings } from '../documents/finding.ts'
import { immediateDelivery, type OutgoingReply, type Reply, type SimRequest } from '../exchange/exchange.ts'
import { version } from '../fixtures/bundled.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import { Journal } from '../journal/journal.ts'
import { getModelAnalytics } from '../operations/analytics.ts'
import { createEvent } from '../operations/events.ts'
import type { Handler } from '../operations/handler.ts'
import { createPrompt } from '../operations/prompts.ts'
import { createPipeline } from '../pipeline/pipeline.ts'
import type { Report } from '../reports/report.ts'
import { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { World } from '../simulation/analytics.ts'
import { createWorld } from '../simulation/world.ts'
import { openStore } from '../state/open.ts'
import type { Store } from '../state/store.ts'
import { createReporter } from './evidence.ts'
import { createExplain } from './explain.ts'
import { type LoadedInputs, loadInputs } from './loaded-inputs.ts'
import { loadSeedState, seedDefaultSandbox } from './seed-state.ts'

/** Everything but the socket: requests in, replies out. */
export interface Simulator {
  readonly contract: Contract
  /** Answers a request to the simulated service. */
  service(request: SimRequest): Awaitable<OutgoingReply>
  /** Why a request is not let into the control plane, decided without its body; undefined: it is. */
  controlRefusal(head: SimRequest): Reply | undefined
  /** Answers a request to the control plane. */
  control(request: SimRequest, gone: AbortSignal): Promise<OutgoingReply>
  /** What the clients of all sandboxes did. */
  report(): Report
  /** Ends what waits for requests to come: verifications and streams. */
  release(): void
  /** Writes out the state and lets go of it. */
  close(): Promise<void>
}

/** What comes in from outside: time, and where to say things. */
export interface Dependencies {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly log: Log
}

/** Loads and checks everything that can be, wires the parts, and says in one line what it found. Does not listen. */
export async function createSimulator(
  settings: Settings,
  dependencies: Dependencies,
): Promise<Result<Simulator, Findings>> {
  const sources = await loadInputs(settings)
  if (!sources.ok) return sources
  const seedState = await loadSeedState(settings.seedState)
  if (!seedState.ok) return seedState
  const opened = await openStore(settings.state, {
    report: (problem) => dependencies.log.error({ problem }, 'the state cannot be written'),
  })
  if (!opened.ok)
    return { ok: false, error: [{ severity: 'error', place: '--state', message: opened.problem }] }
  const { store, loaded } = opened
  try {
    await seedDefaultSandbox(store, seedState.value)
    dependencies.log.info({ ...counts(sources.value), state: { file: settings.state, ...loaded } }, 'loaded')
    const all = { ...sources.value, seedState: seedState.value }
    return { ok: true, value: await assemble(settings, dependencies, all, store) }
  } catch (error) {
    await store.close() // else its file stays locked for as long as this process lives
    throw error
  }
}

async function assemble(
  settings: Settings,
  { now, log }: Dependencies,
  sources: LoadedInputs & Pick<Seen, 'seedState'>,
  store: Store,
): Promise<Simulator> {
  const { contract, control, fixtures } = sources
  for (const { place, message } of contract.warnings) log.warn({ place }, message)
  const productsOfModel = productsOf(fixtures)
  const world = createWorld(fixtures)
  const handlersOver = (store: Store) => handlersOf(contract, world, store, { ...settings, productsOfModel })
  const handlers = handlersOver(store)
  const journal = new Journal(settings.journalSize)
  const sandboxes = new Sandboxes({
    ...sandboxDefaults(settings),
    now,
    onEvicted: onSandboxEvicted(store, journal, log),
  })
  // What the last process kept counts, is listed, and can go like any other.
  sandboxes.adopt((await store.listSandboxes()).map(({ name }) => name))
  const reporter = createReporter({ ...sources, world, journal, sandboxes, limit: settings.sandboxLimit })
  const parts = {
    contract,
    fixtures,
    ...rulesOf(settings, fixtures),
    scenarios: { ...sources, ofModel: scenariosOf(fixtures), productsOfModel },
    sandboxes,
    store,
    handlers,
    fallback: await fallbackOf(contract, handlers, log),
    journal,
    log,
  }
  const pipeline = createPipeline(parts)
  const handled = new Set(handlers.keys())
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // as many as wait
  const seen = {
    ...sources,
    version,
    controlContract: control,
    sandboxes,
    store,
    journal,
    journalSize: settings.journalSize,
    reporter,
    stateFile: settings.state,
    cors: settings.cors,
    handled,
    productsOfModel,
    stopping: stopping.signal,
    explain: createExplain({ ...parts, sandboxes }, handlersOver),
  }
  const controls = createControl(control, controlHandlers(seen), guardOf(settings), log)
  return {
    contract,
    service: pipeline,
    controlRefusal: controls.refusal,
    control: async (request, gone) => ({
      reply: await controls.answer(request, gone),
      delivery: immediateDelivery,
      date: undefined,
    }),
    report: () => reporter.report(undefined),
    release: () => stopping.abort(),
    close: () => store.close(),
  }
}

function sandboxDefaults({ seed, clock, sandboxLimit, sandboxIdle }: Settings) {
  const frozenAt = clock === 'real' ? undefined : parseNow(clock)
  return {
    seed,
    frozenAt,
    limit: sandboxLimit,
    idleMs: parseDuration(sandboxIdle) ?? Number.POSITIVE_INFINITY,
  }
}

/** A sandbox that has to go takes along what the store holds of it. */
function onSandboxEvicted(store: Store, journal: Journal, log: Log) {
  return (name: string, reason: 'limit' | 'idle'): void => {
    log.warn(
      { sandbox: name, reason },
      'a sandbox is dropped with all that it held; see --sandbox-limit, --sandbox-idle',
    )
    journal.clear(name)
    store
      .deleteSandbox(name)
      .catch((error: unknown) => log.error({ sandbox: name, err: error }, 'its state could not be dropped'))
  }
}

function guardOf({ controlToken, controlHosts }: Settings) {
  const hosts = (controlHosts ?? '').split(',').map((host) => host.trim())
  return { token: controlToken, hosts: hosts.filter((host) => host !== '') }
}

/** What the settings and the fixtures decide about callers and models. */
function rulesOf(settings: Settings, { plans, models }: Fixtures) {
  const known = new Set(models.map(({ id }) => id.toLowerCase()))
  const limits = new Map(plans.map(({ name, maxAnalysesPerHour }) => [name, maxAnalysesPerHour ?? undefined]))
  return {
    planOfUnknownKeys: settings.plan,
    limitOf: (plan: string) => settings.maxAnalysesPerHour ?? limits.get(plan),
    isModel: (modelId: string) => settings.models === 'open' || known.has(modelId.toLowerCase()),
    strict: settings.strict,
    simHeaders: settings.simHeaders,
    logBodies: settings.logBodies,
  }
}

/** The scenarios of the magic models, by id. */
function scenariosOf({ models }: Fixtures): Map<string, string> {
  return new Map(
    models.flatMap(({ id, scenario }) => (scenario === undefined ? [] : [[id.toLowerCase(), scenario]])),
  )
}

/** The products that each model belongs to, by its id. */
function productsOf({ products }: Fixtures): Map<string, string[]> {
  const byModel = new Map<string, string[]>()
  for (const { id, models } of products) {
    for (const model of models) {
      const key = model.toLowerCase()
      byModel.set(key, [...(byModel.get(key) ?? []), id.toLowerCase()])
    }
  }
  return byModel
}

/** The handlers of the operations that the document has, by `operationId`. */
function handlersOf(
  contract: Contract,
  world: World,
  store: Store,
  {
    productsOfModel,
    cacheSize,
  }: Pick<Settings, 'cacheSize'> & { readonly productsOfModel: ReadonlyMap<string, readonly string[]> },
): Map<string, Handler> {
  const all = [
    getModelAnalytics(world, store, productsOfModel, cacheSize),
    createPrompt(store),
    createEvent(store),
  ]
  const documented = all.filter(({ operationId }) => contract.operations.some(({ id }) => id === operationId))
  return new Map(documented.map((handler) => [handler.operationId, handler]))
}

/** Prism, where the document has operations that nothing of ours handles. */
async function fallbackOf(
  contract: Contract,
  handlers: ReadonlyMap<string, Handler>,
  log: Log,
): Promise<Fallback | undefined> {
  const others = contract.operations.map(({ id }) => id).filter((id) => !handlers.has(id))
  if (others.length === 0) return undefined
  log.info({ operations: others }, 'answered from the examples and schemas of the contract, by Prism')
  return createFallback(contract)
}

function counts({ contract, fixtures, catalogue }: LoadedInputs) {
  return {
    contract: contract.file,
    operations: contract.operations.length,
    personas: fixtures.personas.length,
    models: fixtures.models.length,
    scenarios: catalogue.definitions.length,
  }
}
