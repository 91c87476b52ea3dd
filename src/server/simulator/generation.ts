import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import { createHandlers } from '../../service/operations/index.ts'
import { createSimulation } from '../../service/simulation/simulation.ts'
import { hashToken } from '../journal/shared-entry.ts'
import { createPipeline, type Pipeline } from '../pipeline/pipeline.ts'
import { findIdempotentOperations } from '../reports/call-key.ts'
import { createHintFinder, type HintFinder } from '../reports/hint-finder.ts'
import type { Settings } from '../settings/settings.ts'
import type { PipelineState } from './explain.ts'
import type { StartInputs } from './loaded-inputs.ts'
import { createLimitLookup, createModelCheck, indexProductsByModel, indexScenariosByModel } from './lookups.ts'
import { createPreviewer } from './ordinary-model.ts'

/**
 * The inputs that requests get, and the parts made of them. With `--watch` each reload makes the next
 * generation; sandboxes, state and journal stay, and a request is handled by the generation that it came to.
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
  /** Returns the tokens of the fixtures, and their hashes, which a shared journal has. */
  readonly magicKeys: () => ReadonlySet<string>
  readonly idempotentOperations: () => ReadonlySet<string>
}

/** Creates a generation, whose pipeline works on `state`. */
export function createGeneration(
  number: number,
  settings: Settings,
  inputs: StartInputs,
  state: PipelineState,
): Generation {
  const { contract, fixtures, catalogue, startUp, fallback } = inputs
  const simulation = createSimulation(fixtures)
  const productsOfModel = indexProductsByModel(fixtures)
  const ofModel = indexScenariosByModel(fixtures)
  const isModel = createModelCheck(settings, fixtures)
  const limitOf = createLimitLookup(settings, fixtures)
  const createPipelineOver: Generation['createPipelineOver'] = ({ findPlannedFault, proxied, ...over }) => {
    const deps = {
      ...over,
      contract,
      fixtures,
      handlers: createHandlers(contract, {
        simulation,
        productsOfModel,
        responses: fixtures.responses,
        store: over.store,
      }),
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
  }
  return {
    ...inputs,
    number,
    productsOfModel,
    createPipelineOver,
    service: createPipelineOver(state),
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
