import type { Settings } from '../config/settings.ts'
import type { Fallback } from '../contract/fallback.ts'
import type { Log } from '../core/log.ts'
import { once } from '../core/once.ts'
import { type Result, success } from '../core/result.ts'
import type { Findings } from '../documents/finding.ts'
import { createHandlers } from '../operations/index.ts'
import { createPipeline, type Pipeline } from '../pipeline/pipeline.ts'
import { HintFinder } from '../reports/hint-finder.ts'
import { reactivateRules } from '../scenarios/refit-rules.ts'
import type { ActiveRules } from '../scenarios/rules.ts'
import type { World } from '../simulation/analytics.ts'
import { createWorld } from '../simulation/world.ts'
import { createFallbackIfNeeded } from './create-fallback.ts'
import { computeDigest } from './digest.ts'
import type { PipelineState } from './explain.ts'
import { type LoadedInputs, loadInputs } from './loaded-inputs.ts'
import {
  createLimitLookup,
  createModelCheck,
  indexProductsByModel,
  indexScenariosByModel,
} from './lookups.ts'
import { createPreviewer } from './previews.ts'
import type { ProxiedService } from './proxied-service.ts'

/** The inputs of a generation, with the replies for operations without a handler. */
export interface StartInputs extends LoadedInputs {
  /** Undefined: every operation has a handler. */
  readonly fallback: Fallback | undefined
}

/**
 * The inputs that requests are answered with, and the parts made of them. With `--watch` each reload makes the next generation; sandboxes,
 * state and journal stay, and a request is answered by the generation that it came to.
 */
export interface Generation extends StartInputs {
  /** 1 for the inputs of the start; each reload adds 1. */
  readonly number: number
  readonly world: World
  /** The ids of each model's products by the model's id; all in lower case. */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
  /** The pipeline over the simulator's own state. */
  readonly service: Pipeline
  /** Creates a pipeline over other state. */
  readonly createPipelineOver: (state: PipelineState) => Pipeline
  /** Returns the digest of the contract: `sha256:...`. */
  readonly contractDigest: () => string
  readonly hintFinder: () => HintFinder
}

/** Loads all inputs of the settings, and the replies for operations without a handler. `proxied`: the real service, which replies. */
export async function loadStartInputs(
  settings: Settings,
  log: Log,
  proxied: ProxiedService | undefined,
): Promise<Result<StartInputs, Findings>> {
  const inputs = await loadInputs(settings, proxied)
  if (!inputs.ok) return inputs
  if (proxied) return success({ ...inputs.value, fallback: undefined })
  const fallback = await createFallbackIfNeeded(inputs.value.contract, log)
  return fallback.ok ? success({ ...inputs.value, fallback: fallback.value }) : fallback
}

/** Loads the inputs again, as a generation of this number. The rules of `former` that are the same keep their counts. */
export async function loadGeneration(
  number: number,
  settings: Settings,
  state: PipelineState,
  former: ActiveRules,
): Promise<Result<Generation, Findings>> {
  const inputs = await loadStartInputs(settings, state.log, state.proxied)
  if (!inputs.ok) return inputs
  const startUp = reactivateRules(`start-up ${number}`, inputs.value.startUp, former)
  return success(createGeneration(number, settings, { ...inputs.value, startUp }, state))
}

/** Creates a generation, whose pipeline works on `state`. */
export function createGeneration(
  number: number,
  settings: Settings,
  inputs: StartInputs,
  state: PipelineState,
): Generation {
  const { contract, fixtures, catalogue } = inputs
  const world = createWorld(fixtures)
  const productsOfModel = indexProductsByModel(fixtures)
  const createPipelineOver = createPipelineFactory(settings, inputs, world, productsOfModel)
  return {
    ...inputs,
    number,
    world,
    productsOfModel,
    createPipelineOver,
    service: createPipelineOver(state),
    contractDigest: once(() => computeDigest(contract.document)),
    hintFinder: once(
      () => new HintFinder(catalogue, createPreviewer({ contract, fixtures, catalogue, world })),
    ),
  }
}

/** Creates a function that creates a pipeline over the simulator's state, or over the copy of it for `POST /__sim/explain`. */
function createPipelineFactory(
  settings: Settings,
  { contract, fixtures, catalogue, startUp, fallback }: StartInputs,
  world: World,
  productsOfModel: ReadonlyMap<string, readonly string[]>,
): (state: PipelineState) => Pipeline {
  const { answers } = fixtures
  const operations = { contract, world, productsOfModel, answers }
  return ({ store, sandboxes, journal, log, findPlannedFault, proxied }) => {
    const deps = {
      contract,
      fixtures,
      sandboxes,
      store,
      handlers: createHandlers({ ...operations, store }),
      fallback,
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
    }
    return createPipeline(deps, proxied?.createStages)
  }
}
