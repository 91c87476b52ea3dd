import { hash } from 'node:crypto'
import { groupBy } from '../../base/core/group-by.ts'
import { parseDuration } from '../../base/core/instant.ts'
import { canonicalJson } from '../../base/core/json.ts'
import { silentLog } from '../../base/core/log.ts'
import { once } from '../../base/core/memoize.ts'
import { hourMs, type RateLimit } from '../../service/exchange/rate-headers.ts'
import { delivered } from '../../service/exchange/reply.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import { createHandlers } from '../../service/operations/index.ts'
import type { ActiveScenario, Catalogue } from '../../service/scenarios/definition.ts'
import { createSimulation } from '../../service/simulation/simulation.ts'
import type { ControlledSimulator, ServedInputs } from '../control/handler.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { Journal } from '../journal/journal.ts'
import { hashToken } from '../journal/shared-entry.ts'
import type { PipelineDeps } from '../pipeline/exchange.ts'
import { type CreateStages, createPipeline, type Pipeline } from '../pipeline/pipeline.ts'
import { createHintFinder, parseKnownScenarios } from '../reports/hint-finder.ts'
import { findIdempotentOperations } from '../reports/retries/attempt.ts'
import type { ReportedInputs } from '../reports/traffic-collector.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Settings } from '../settings/settings.ts'
import type { LoadedInputs } from './loaded-inputs.ts'
import { createPreviewer } from './ordinary-model.ts'

/** The real service, which replaces the simulator's operations. Only the `proxy` command uses it. */
export interface ProxiedService {
  readonly url: string
  /** Returns a catalogue in which the scenarios that need a simulated response are marked as inapplicable. */
  readonly limitCatalogue: (all: Catalogue) => Catalogue
  readonly createStages: CreateStages
  /** Returns a variant that does not send requests to the real service, for `POST /__sim/explain`. */
  readonly withoutRequests: () => ProxiedService
  readonly close: () => void
}

/** The parts of a pipeline that survive a reload of the inputs. */
interface PipelineState extends Pick<PipelineDeps, 'store' | 'sandboxes' | 'journal' | 'log' | 'findPlannedFault'> {
  readonly proxied?: ProxiedService | undefined
}

interface SimulatorState extends PipelineState {
  readonly sandboxes: Sandboxes
}

/**
 * The loaded inputs and the parts built from them. With `--watch`, each valid reload creates a new generation, which
 * shares its sandboxes, state and journal with the previous one. A request stays with the generation that received it.
 */
export interface Generation extends LoadedInputs, ServedInputs, ReportedInputs {
  readonly service: Pipeline
  readonly explain: ControlledSimulator['explain']
}

export function createGeneration(
  settings: Settings,
  state: SimulatorState,
  generationNumber: number,
  inputs: LoadedInputs,
): Generation {
  const { contract, handled, fixtures, catalogue } = inputs
  const simulate = createSimulation(fixtures)
  const productsOfModel = indexProductsByModel(fixtures)
  const loaded = {
    ...inputs,
    settings,
    productsOfModel,
    keyScenarios: parseMagicScenarios(fixtures.keys, ({ token }) => token, catalogue),
    modelScenarios: parseMagicScenarios(fixtures.models, ({ id }) => id.toLowerCase(), catalogue),
    isModel: createModelCheck(settings, fixtures),
    limitOf: createLimitLookup(settings, fixtures),
  }
  const createPipelineWith = ({ proxied, ...rest }: PipelineState) => {
    const { store } = rest
    const handlers = createHandlers(handled, { simulate, productsOfModel, responses: fixtures.responses, store })
    return createPipeline({ ...loaded, ...rest, handlers }, proxied?.createStages)
  }
  return {
    ...inputs,
    generationNumber,
    productsOfModel,
    service: createPipelineWith(state),
    explain: createExplain(state, createPipelineWith),
    contractDigest: once(() => `sha256:${hash('sha256', canonicalJson(contract.document))}`),
    hintFinder: once(() => createHintFinder(catalogue, createPreviewer(inputs, simulate))),
    magicKeys: once(() => new Set(fixtures.keys.flatMap(({ token }) => [token, hashToken(token)]))),
    idempotentOperations: once(() => findIdempotentOperations(contract)),
  }
}

/** Creates the function behind `POST /__sim/explain`, which runs the pipeline on a fork of the store. */
function createExplain(
  { store, log, proxied, sandboxes }: SimulatorState,
  createPipelineWith: (state: PipelineState) => Pipeline,
): Generation['explain'] {
  return async function explain(request) {
    const journal = new Journal(0)
    let entry: JournalEntry | undefined
    journal.onEntry((recorded) => {
      entry = recorded
    })
    const pipeline = createPipelineWith({
      store: store.fork(),
      sandboxes: { use: (name) => sandboxes.peek(name), settings: sandboxes.settings },
      journal,
      proxied: proxied?.withoutRequests(),
      log: { ...silentLog, error: (fields, message) => log.error(fields, message) },
    })
    const outgoing = await pipeline(request)
    outgoing.onEnd?.(delivered)
    if (!entry) throw new Error('the explained exchange was not recorded')
    return { outgoing, entry }
  }
}

function parseMagicScenarios<Value extends { readonly scenario?: string | undefined }>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
  catalogue: Catalogue,
): ReadonlyMap<string, readonly ActiveScenario[]> {
  return new Map(values.map((value) => [keyOf(value), parseKnownScenarios(value.scenario ?? '', catalogue)]))
}

function indexProductsByModel({ products }: Fixtures): ReadonlyMap<string, readonly string[]> {
  const pairs = products.flatMap(({ id, models }) => models.map((model) => ({ model: model.toLowerCase(), id })))
  const groups = groupBy(pairs, ({ model }) => model)
  return new Map([...groups].map(([model, group]) => [model, group.map(({ id }) => id.toLowerCase())]))
}

/** Creates a function that returns a plan's rate limit, if any. The settings can override the limits of all plans. */
function createLimitLookup({ maxAnalysesPerHour, analysesWindow }: Settings, { plans }: Fixtures) {
  const windowMs = parseDuration(analysesWindow) ?? hourMs
  const limits = new Map<string, RateLimit>()
  for (const plan of plans) {
    const quota = maxAnalysesPerHour ?? plan.maxAnalysesPerHour
    if (quota !== null) limits.set(plan.name, { quota, windowMs })
  }
  return (plan: string) => limits.get(plan)
}

function createModelCheck({ models }: Settings, fixtures: Fixtures): (modelId: string) => boolean {
  const known = new Set(fixtures.models.map(({ id }) => id.toLowerCase()))
  return (modelId) => models === 'open' || known.has(modelId.toLowerCase())
}
