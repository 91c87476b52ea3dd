import { createHash } from 'node:crypto'
import { parseDuration } from '../../base/core/instant.ts'
import { canonicalJson, type Json } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import { hourMs, type RateLimit } from '../../service/exchange/rate-headers.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import { createHandlers } from '../../service/operations/index.ts'
import { createSimulation } from '../../service/simulation/simulation.ts'
import type { ServedInputs } from '../control/handler.ts'
import type { ReloadFailure } from '../control/info.ts'
import { hashToken } from '../journal/shared-entry.ts'
import { createPipeline, type Pipeline } from '../pipeline/pipeline.ts'
import { findIdempotentOperations } from '../reports/attempts.ts'
import { createHintFinder, type HintFinder } from '../reports/hint-finder.ts'
import type { Settings } from '../settings/settings.ts'
import type { PipelineState } from './explain.ts'
import type { StartInputs } from './loaded-inputs.ts'
import { createPreviewer } from './ordinary-model.ts'

/**
 * The inputs that requests get, and the parts made of them. With `--watch` each reload makes the next generation;
 * sandboxes, state and journal stay, and a request is handled by the generation that it came to.
 */
export interface Generation extends StartInputs, ServedInputs {
  /** Creates a pipeline over a state. */
  readonly createPipelineOver: (state: PipelineState) => Pipeline
  readonly hintFinder: () => HintFinder
  /** Returns the tokens of the fixtures, and their hashes, which a shared journal has. */
  readonly magicKeys: () => ReadonlySet<string>
}

/** The generation that is served, with its pipeline over the state. */
export class ServedGeneration {
  present: Generation
  service: Pipeline
  /** The failure of the latest reload; undefined if it succeeded, or there was none. */
  reloadFailure: ReloadFailure | undefined
  readonly #state: PipelineState

  constructor(first: Generation, state: PipelineState) {
    this.#state = state
    this.present = first
    this.service = first.createPipelineOver(state)
  }

  /** Serves another generation from the next request on. */
  replace(next: Generation): void {
    this.service = next.createPipelineOver(this.#state)
    this.present = next
    this.reloadFailure = undefined
  }
}

export function createGeneration(number: number, settings: Settings, inputs: StartInputs): Generation {
  const { contract, fixtures, catalogue, startUp, fallback } = inputs
  const simulation = createSimulation(fixtures)
  const productsOfModel = indexProductsByModel(fixtures)
  const ofModel = indexScenariosByModel(fixtures)
  const isModel = createModelCheck(settings, fixtures)
  const limitOf = createLimitLookup(settings, fixtures)
  return {
    ...inputs,
    number,
    productsOfModel,
    createPipelineOver({ findPlannedFault, proxied, ...state }) {
      const { store } = state
      const deps = {
        ...state,
        contract,
        fixtures,
        handlers: createHandlers(contract, { simulation, productsOfModel, responses: fixtures.responses, store }),
        fallback,
        scenarios: { catalogue, ofModel, productsOfModel, startUp, findPlannedFault },
        planOfUnknownKeys: settings.plan,
        limitOf,
        isModel,
        strict: settings.strict,
        headers: settings,
        logBodies: settings.logBodies,
      }
      return createPipeline(deps, proxied?.createStages)
    },
    contractDigest: once(() => computeJsonDigest(contract.document)),
    hintFinder: once(() => createHintFinder(catalogue, createPreviewer(inputs, simulation))),
    magicKeys: once(() => new Set(fixtures.keys.flatMap(({ token }) => [token, hashToken(token)]))),
    idempotentOperations: once(() => findIdempotentOperations(contract)),
  }
}

/** Returns the digest of JSON, which does not depend on the order of members: `sha256:9f86d0...`. */
function computeJsonDigest(value: Json): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`
}

/** Returns the scenarios of the magic models by the model's id in lower case. */
function indexScenariosByModel({ models }: Fixtures): ReadonlyMap<string, string> {
  return new Map(models.flatMap(({ id, scenario }) => (scenario === undefined ? [] : [[id.toLowerCase(), scenario]])))
}

/** Returns the ids of each model's products by the model's id; all in lower case. */
function indexProductsByModel({ products }: Fixtures): ReadonlyMap<string, readonly string[]> {
  const byModel = new Map<string, string[]>()
  for (const { id, models } of products) {
    for (const model of models) {
      const key = model.toLowerCase()
      byModel.set(key, [...(byModel.get(key) ?? []), id.toLowerCase()])
    }
  }
  return byModel
}

/** Creates the lookup of a plan's limit, which `--max-analyses-per-hour` and `--analyses-window` override. */
function createLimitLookup(
  { maxAnalysesPerHour, analysesWindow }: Settings,
  { plans }: Fixtures,
): (plan: string) => RateLimit | undefined {
  const windowMs = parseDuration(analysesWindow) ?? hourMs
  const limits = new Map<string, RateLimit>()
  for (const plan of plans) {
    const quota = maxAnalysesPerHour ?? plan.maxAnalysesPerHour
    if (quota !== null) limits.set(plan.name, { quota, windowMs })
  }
  return (plan) => limits.get(plan)
}

/** Creates a function that returns true for a model that exists: any with `--models open`, else those of fixtures. */
function createModelCheck({ models }: Settings, fixtures: Fixtures): (modelId: string) => boolean {
  const known = new Set(fixtures.models.map(({ id }) => id.toLowerCase()))
  return (modelId) => models === 'open' || known.has(modelId.toLowerCase())
}
