/**
 * `service/scenarios/`: defines the scenarios that can be turned on for a request. This file defines the type of a
 * scenario. Most families have their own file; `catalogue.ts` combines them.
 */

import type { Json, JsonObject } from '../../base/core/json.ts'
import type { Result } from '../../base/core/result.ts'
import type { Operation } from '../contract/contract.ts'
import type { DeliveryMode, Reply } from '../exchange/reply.ts'
import type { Expectation } from '../exchange/request.ts'
import { number, type Parameter, type ScenarioValues } from './parameters.ts'

export const families = [
  'refusals',
  'gateways',
  'data',
  'time',
  'connection',
  'drift',
  'idempotency',
  'expectations',
] as const

/** The definition of a scenario, from which its help, documentation and catalogue entry are derived. */
export interface ScenarioDefinition {
  readonly name: string
  readonly family: (typeof families)[number]
  /** A short text, ending with a period, for the help and the documentation. */
  readonly description: string
  readonly parameters: readonly Parameter[]
  /** Returns why the scenario does not apply to an operation; undefined if it applies. Absent if it always applies. */
  inapplicableReason?(operation: Operation, values: ScenarioValues): string | undefined
  /** Returns a problem with the parsed values, if any, such as `"max" is less than "ms"`. */
  problem?(values: ScenarioValues): string | undefined
  /** Returns pointers to the fields that the scenario can change; absent if the scenario has no `pointer` parameter. */
  pointers?(operation: Operation): readonly string[]
  effect(values: ScenarioValues): Effect
}

/** The `p` parameter, which every scenario has. */
export const probability = number('p', [0, 1], 'The chance that the scenario is applied to a request.', { default: 1 })

export interface ActiveScenario {
  readonly definition: ScenarioDefinition
  readonly values: ScenarioValues
  /** The text that turned the scenario on, such as `rate-limited;retry-after=3`. */
  readonly text: string
}

export const isGateway = ({ definition }: ActiveScenario): boolean => definition.family === 'gateways'

export const effectOf = ({ definition, values }: ActiveScenario): Effect => definition.effect(values)

export interface Catalogue {
  readonly definitions: readonly ScenarioDefinition[]
  /** The scenarios that are named after a documented status, such as `429`. They are not in `definitions`. */
  readonly statuses: readonly ScenarioDefinition[]
  /** Finds a scenario by its name, which can also be an undocumented status from 400 to 599. */
  find(name: string): ScenarioDefinition | undefined
}

export interface NamedPersona {
  readonly name: string
  readonly about: string
}

/** The changes that the data family makes to the generated data of one response. */
export interface DataOverrides {
  /** The persona that replaces the model's own, if any. */
  readonly persona: string | undefined
  readonly shape: 'no-null' | 'all-null' | undefined
  /** Fields, such as `dataPoints.avgSafetyScore`, that are set to null regardless of the generated data. */
  readonly nulls: readonly string[]
  readonly extreme: Extreme | undefined
}

/** A response field and its extreme value. */
export interface ExtremeField {
  /** The field's name, such as `recommendations.summary`. It is the same for a list and for its items. */
  readonly field: string
  readonly value: Json
}

/** The extreme values in a response. They depend only on `name` and the names of the fields. */
export interface Extreme {
  readonly name: string
  readonly fields: readonly ExtremeField[]
}

export const noOverrides: DataOverrides = { persona: undefined, shape: undefined, nulls: [], extreme: undefined }

/** Returns a number in [0, 1) that depends only on the seed, request, scenario and label (such as `'delay'`). */
export type Chance = (label: string) => number

interface DriftedBody {
  readonly body: Json
  readonly pointer: string
}

export type Effect =
  /** Carries out the operation, responds with `status` if documented, and overrides scenarios from wider scopes. */
  | { readonly kind: 'ordinary'; readonly status: number }
  /** Replies in place of the operation. `modelId`: the model in the path, if any. `now`: epoch ms. */
  | { readonly kind: 'response'; readonly reply: (operation: Operation, modelId?: string, now?: number) => Reply }
  /** Carries out the operation as if sampling had dropped the event. */
  | { readonly kind: 'sample-out' }
  /** Replies in place of the service, even if no operation matches. `target`: path and query. `now`: epoch ms. */
  | { readonly kind: 'gateway'; readonly reply: (request: { target: string; now: number }) => Reply }
  | { readonly kind: 'data'; readonly overrides: Partial<DataOverrides> }
  /** Delays the reply by `ms`. `isRandom` is true if the delay is drawn from a distribution. */
  | { readonly kind: 'delay'; readonly isRandom: boolean; readonly ms: (chance: Chance) => number }
  /** Changes how the reply is written to the socket. If `isBeforeWork` is true, the operation is not carried out. */
  | { readonly kind: 'deliver'; readonly mode: DeliveryMode; readonly isBeforeWork: boolean }
  /** Does not change the reply. Declares the outcome that the reports expect. */
  | { readonly kind: 'expect'; readonly expectation: Expectation }
  /** Stores the write, but resets the connection before the response is sent. */
  | { readonly kind: 'lose-ack' }
  /** Damages the reply's body at the scenario's `pointer`, or at a location derived from `seed`. */
  | { readonly kind: 'drift'; readonly damage: (body: Json, schema: JsonObject, seed: string) => Result<DriftedBody> }
