import { parseNow } from './clock.ts'
import type { Contract, Loaded } from './contract/contract.ts'
import { createFallback, type Fallback } from './contract/fallback.ts'
import { createControl } from './control/control.ts'
import { controlHandlers } from './control/handlers.ts'
import type { Incoming, Reply } from './exchange.ts'
import type { Fixtures } from './fixtures.ts'
import type { Log } from './log.ts'
import { getModelAnalytics } from './operations/analytics.ts'
import { createEvent } from './operations/events.ts'
import type { Handler } from './operations/handler.ts'
import { createPrompt } from './operations/prompts.ts'
import { createPipeline } from './pipeline/pipeline.ts'
import { createSandboxes } from './sandboxes.ts'
import type { Settings } from './settings.ts'
import { version } from './shipped.ts'
import { createWorld } from './simulation/world.ts'
import { loadSources, type Sources } from './sources.ts'
import { openStore } from './state/open.ts'
import type { Store } from './state/store.ts'

/** Everything but the socket: requests in, replies out. */
export interface Simulator {
  readonly contract: Contract
  /** Answers a request to the simulated service; `date` is the time the answer is from, epoch milliseconds. */
  service(request: Incoming): Promise<{ readonly reply: Reply; readonly date: number }>
  /** Answers a request to the control plane. */
  control(request: Incoming): Promise<Reply>
  /** Writes out the state and lets go of it. */
  close(): Promise<void>
}

/** What comes in from outside: time, and where to say things. */
export interface Surroundings {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly log: Log
}

/** Loads and checks everything that can be, wires the parts, and says in one line what it found. Does not listen. */
export async function createSimulator(
  settings: Settings,
  surroundings: Surroundings,
): Promise<Loaded<Simulator>> {
  const sources = await loadSources(settings)
  if (!sources.ok) return sources
  const opened = await openStore(settings.state)
  if (!opened.ok)
    return { ok: false, findings: [{ severity: 'error', place: '--state', message: opened.problem }] }
  surroundings.log.info(
    { ...counts(sources.value), state: { file: settings.state, ...opened.loaded } },
    'loaded',
  )
  return { ok: true, value: await wire(settings, surroundings, sources.value, opened.store) }
}

async function wire(
  settings: Settings,
  { now, log }: Surroundings,
  sources: Sources,
  store: Store,
): Promise<Simulator> {
  const { contract, control, fixtures } = sources
  for (const { place, message } of contract.warnings) log.warn({ place }, message)
  const handlers = handlersOf(contract, createWorld(fixtures), store)
  const sandboxes = createSandboxes({ seed: settings.seed, now: clockOf(settings.clock, now) })
  const pipeline = createPipeline({
    contract,
    fixtures,
    ...rulesOf(settings, fixtures),
    scenarios: { ...sources, ofModel: scenariosOf(fixtures) },
    sandboxes,
    store,
    handlers,
    fallback: await fallbackOf(contract, handlers, log),
    log,
  })
  const seen = {
    version,
    contract,
    controlContract: control,
    sandboxes,
    store,
    stateFile: settings.state,
    personas: fixtures.personas.map(({ name }) => name),
    handled: new Set(handlers.keys()),
  }
  return {
    contract,
    async service(request) {
      const { exchange, reply } = await pipeline(request)
      return { reply, date: exchange.now }
    },
    control: createControl(control, controlHandlers(seen), log),
    close: () => store.close(),
  }
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
  }
}

/** The scenarios of the magic models, by id. */
function scenariosOf({ models }: Fixtures): Map<string, string> {
  return new Map(
    models.flatMap(({ id, scenario }) => (scenario === undefined ? [] : [[id.toLowerCase(), scenario]])),
  )
}

function clockOf(clock: string, real: () => number): () => number {
  const frozen = clock === 'real' ? undefined : parseNow(clock)
  return frozen === undefined ? real : () => frozen
}

/** The handlers of the operations that the document has, by `operationId`. */
function handlersOf(
  contract: Contract,
  world: ReturnType<typeof createWorld>,
  store: Store,
): Map<string, Handler> {
  const all = [getModelAnalytics(world), createPrompt(store), createEvent(store)]
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

function counts({ contract, fixtures, catalogue }: Sources) {
  return {
    contract: contract.file,
    operations: contract.operations.length,
    personas: fixtures.personas.length,
    models: fixtures.models.length,
    scenarios: catalogue.entries.length,
  }
}
