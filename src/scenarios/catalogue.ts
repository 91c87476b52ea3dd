import type { Contract, Operation } from '../contract/contract.ts'
import { connectionScenarios } from './connection.ts'
import { dataScenarios } from './data.ts'
import { driftScenarios } from './drift.ts'
import type { Effect } from './effects.ts'
import type { Parameter, ScenarioValues } from './parameters.ts'
import { refusalScenarios, statusScenarios } from './refusals.ts'
import { timeScenarios } from './time.ts'

export const families = ['refusals', 'data', 'time', 'connection', 'drift', 'idempotency'] as const
export type Family = (typeof families)[number]

/** One thing that can be switched on. Help, README, control plane and the tests' sweep are built from these. */
export interface ScenarioDefinition {
  readonly name: string
  readonly family: Family
  /** One sentence: what happens. */
  readonly description: string
  /** Its own parameters; every entry also takes `p`. */
  readonly parameters: readonly Parameter[]
  /** Why it makes no sense for an operation; undefined where it does. */
  inapplicableReason(operation: Operation, values: ScenarioValues): string | undefined
  /** What is wrong with values that are each well formed; undefined where nothing is. */
  problem?(values: ScenarioValues): string | undefined
  effect(values: ScenarioValues): Effect
}

/** The parameter of every entry: any of them can be flaky. */
export const probability: Parameter = {
  name: 'p',
  type: 'number',
  default: 1,
  minimum: 0,
  maximum: 1,
  description: 'How likely it is for a request, drawn by the seed.',
}

/** A scenario with its parameters, switched on by somebody. */
export interface ActiveScenario {
  readonly definition: ScenarioDefinition
  readonly values: ScenarioValues
  /** As it was written: `rate-limited;retry-after=3`. */
  readonly text: string
}

export interface Catalogue {
  /** Every entry once. Documented statuses by their number come last. */
  readonly definitions: readonly ScenarioDefinition[]
  find(name: string): ScenarioDefinition | undefined
}

export interface NamedPersona {
  readonly name: string
  readonly about: string
}

/** Everything that can be switched on for this contract and these personas. */
export function createCatalogue(contract: Contract, personas: readonly NamedPersona[]): Catalogue {
  const definitions = [
    ...refusalScenarios(),
    ...dataScenarios(contract, personas),
    ...timeScenarios(),
    ...connectionScenarios(),
    ...driftScenarios(),
    ...statusScenarios(contract),
  ]
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  return { definitions, find: (name) => byName.get(name) }
}
