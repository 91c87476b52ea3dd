import type { Contract, Operation } from '../contract/contract.ts'
import { connectionEntries } from './connection.ts'
import { dataEntries } from './data.ts'
import { driftEntries } from './drift.ts'
import type { Effect } from './effects.ts'
import type { Parameter, Values } from './parameters.ts'
import { refusalEntries, statusEntries } from './refusals.ts'
import { timeEntries } from './time.ts'

export const families = ['refusals', 'data', 'time', 'connection', 'drift', 'idempotency'] as const
export type Family = (typeof families)[number]

/** One thing that can be switched on. Help, README, control plane and the tests' sweep are built from these. */
export interface Entry {
  readonly name: string
  readonly family: Family
  /** One sentence: what happens. */
  readonly about: string
  /** Its own parameters; every entry also takes `p`. */
  readonly parameters: readonly Parameter[]
  /** Why it makes no sense for an operation; undefined where it does. */
  unfit(operation: Operation, values: Values): string | undefined
  /** What is wrong with values that are each well formed; undefined where nothing is. */
  problem?(values: Values): string | undefined
  effect(values: Values): Effect
}

/** The parameter of every entry: any of them can be flaky. */
export const probability: Parameter = {
  name: 'p',
  type: 'number',
  default: 1,
  minimum: 0,
  maximum: 1,
  about: 'How likely it is for a request, drawn by the seed.',
}

/** A scenario with its parameters, switched on by somebody. */
export interface ActiveScenario {
  readonly entry: Entry
  readonly values: Values
  /** As it was written: `rate-limited;retry-after=3`. */
  readonly text: string
}

export interface Catalogue {
  /** Every entry once. Documented statuses by their number come last. */
  readonly entries: readonly Entry[]
  find(name: string): Entry | undefined
}

export interface Persona {
  readonly name: string
  readonly about: string
}

/** Everything that can be switched on for this contract and these personas. */
export function createCatalogue(contract: Contract, personas: readonly Persona[]): Catalogue {
  const entries = [
    ...refusalEntries(),
    ...dataEntries(contract, personas),
    ...timeEntries(),
    ...connectionEntries(),
    ...driftEntries(),
    ...statusEntries(contract),
  ]
  const byName = new Map(entries.map((entry) => [entry.name, entry]))
  return { entries, find: (name) => byName.get(name) }
}
