/** Everything that can be switched on. The definition of a scenario and its effects; the families are built from it. */
import type { Operation } from '../contract/contract.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Result } from '../core/result.ts'
import type { DeliveryMode } from '../exchange/delivery.ts'
import type { Reply } from '../exchange/reply.ts'
import type { Parameter, ScenarioValues } from './parameters.ts'

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

/** How the data family bends the invented figures of one answer. */
export interface DataOverrides {
  /** A persona instead of the model's own. */
  readonly persona: string | undefined
  readonly shape: 'no-null' | 'all-null' | undefined
  /** Fields set to null whatever the figures say: `avgSafetyScore`, `dataPoints.avgSafetyScore`. */
  readonly nulls: readonly string[]
}

export const noOverrides: DataOverrides = { persona: undefined, shape: undefined, nulls: [] }

/** A number in [0, 1) for this request and this scenario; another label, another number. Seeded, so that it repeats. */
export type Chance = (label: string) => number

/** A body with one rule of its schema broken, at this JSON pointer. */
export interface DriftedBody {
  readonly body: Json
  readonly pointer: string
}

/** What a scenario does to a request that it acts on. */
export type Effect =
  /** Nothing: the service as it is. Stands in for "no scenario" where a wider scope has one. */
  | { readonly kind: 'ordinary' }
  /** Answers instead of the operation. */
  | { readonly kind: 'answer'; readonly reply: (operation: Operation) => Reply }
  /** Bends the answer of the operation. */
  | { readonly kind: 'data'; readonly overrides: Partial<DataOverrides> }
  /** Lets the client wait; milliseconds. `drawn`: the delay is up to chance. */
  | { readonly kind: 'delay'; readonly drawn: boolean; readonly ms: (chance: Chance) => number }
  /** Changes how the answer gets onto the wire, if it gets there. */
  | { readonly kind: 'deliver'; readonly mode: DeliveryMode }
  /** Lets a write succeed and loses its answer. */
  | { readonly kind: 'lose-ack' }
  /** Breaks a rule of the answer's schema. `seed` settles where. */
  | {
      readonly kind: 'drift'
      readonly damage: (body: Json, schema: JsonObject, seed: string) => Result<DriftedBody>
    }
