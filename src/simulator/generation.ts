import { createHash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import { canonicalJson, type Json } from '../core/json.ts'
import { once } from '../core/once.ts'
import { type Result, success } from '../core/result.ts'
import type { Findings } from '../documents/finding.ts'
import { createHandlers } from '../operations/index.ts'
import { createPipeline, type Pipeline } from '../pipeline/pipeline.ts'
import { createHintFinder, type HintFinder } from '../reports/hint-finder.ts'
import { type ActiveRules, activateRules } from '../scenarios/rules.ts'
import { createWorld } from '../simulation/world.ts'
import type { PipelineState } from './explain.ts'
import { loadStartInputs, type StartInputs } from './loaded-inputs.ts'
import { createLimitLookup, createModelCheck, indexProductsByModel, indexScenariosByModel } from './lookups.ts'
import { createPreviewer } from './ordinary-model.ts'

/**
 * The inputs that requests are answered with, and the parts made of them. With `--watch` each reload makes the next
 * generation; sandboxes, state and journal stay, and a request is answered by the generation that it came to.
 */
export interface Generation extends StartInputs {
  /** 1 for the inputs of the start; each reload adds 1. */
  readonly number: number
  /** The ids of each model's products by the model's id; all in lower case. */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
  readonly service: Pipeline
  /** Creates a pipeline over other state. */
  readonly createPipelineOver: (state: PipelineState) => Pipeline
  /** Returns the digest of the contract: `sha256:...`. */
  readonly contractDigest: () => string
  readonly hintFinder: () => HintFinder
}

/** Loads the inputs again, as a generation of this number. Rules that `former` has, too, keep their counts. */
export async function loadGeneration(
  number: number,
  settings: Settings,
  state: PipelineState,
  former: ActiveRules,
): Promise<Result<Generation, Findings>> {
  const inputs = await loadStartInputs(settings, state.log, state.proxied)
  if (!inputs.ok) return inputs
  const startUp = activateRules(`start-up ${number}`, inputs.value.startUp, former)
  return success(createGeneration(number, settings, { ...inputs.value, startUp }, state))
}

/** Creates a generation, whose pipeline works on `state`. */
export function createGeneration(
  number: number,
  settings: Settings,
  inputs: StartInputs,
  state: PipelineState,
): Generation {
  const { contract, fixtures, catalogue, startUp, fallback } = inputs
  const world = createWorld(fixtures)
  const productsOfModel = indexProductsByModel(fixtures)
  const ofModel = indexScenariosByModel(fixtures)
  const limitOf = createLimitLookup(settings, fixtures)
  const isModel = createModelCheck(settings, fixtures)
  const createPipelineOver: Generation['createPipelineOver'] = (over) => {
    const { store, sandboxes, journal, log, findPlannedFault, proxied } = over
    const deps = {
      contract,
      fixtures,
      sandboxes,
      store,
      handlers: createHandlers({ contract, world, productsOfModel, answers: fixtures.answers, store }),
      fallback,
      scenarios: { catalogue, ofModel, productsOfModel, startUp, findPlannedFault },
      planOfUnknownKeys: settings.plan,
      limitOf,
      isModel,
      strict: settings.strict,
      headers: settings,
      logBodies: settings.logBodies,
      journal,
      log,
    }
    return createPipeline(deps, proxied?.createStages)
  }
  return {
    ...inputs,
    number,
    productsOfModel,
    createPipelineOver,
    service: createPipelineOver(state),
    contractDigest: once(() => computeJsonDigest(contract.document)),
    hintFinder: once(() => createHintFinder(catalogue, createPreviewer(inputs, world))),
  }
}

/** Returns the digest of JSON, which does not depend on the order of members: `sha256:9f86d0...`. */
export function computeJsonDigest(value: Json): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`
}
