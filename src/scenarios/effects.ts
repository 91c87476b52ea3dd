import type { Operation } from '../contract/contract.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { DeliveryMode, Reply } from '../exchange/exchange.ts'

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

/** A body with one rule of its schema broken, or why there is nothing to break. */
export type Damaged =
  | { readonly ok: true; readonly body: Json; readonly pointer: string }
  | { readonly ok: false; readonly problem: string }

/** What a scenario does to a request that it acts on. */
export type Effect =
  /** Nothing: the service as it is. Stands in for "no scenario" where a wider scope has one. */
  | { readonly kind: 'ordinary' }
  /** Answers instead of the operation. */
  | { readonly kind: 'answer'; readonly reply: (operation: Operation) => Reply }
  /** Bends the answer of the operation. */
  | { readonly kind: 'shape'; readonly shaping: Partial<DataOverrides> }
  /** Lets the client wait; milliseconds. `drawn`: the delay is up to chance. */
  | { readonly kind: 'delay'; readonly drawn: boolean; readonly ms: (chance: Chance) => number }
  /** Changes how the answer gets onto the wire, if it gets there. */
  | { readonly kind: 'deliver'; readonly manner: DeliveryMode }
  /** Lets a write succeed and loses its answer. */
  | { readonly kind: 'lose-ack' }
  /** Breaks a rule of the answer's schema. `seed` settles where. */
  | { readonly kind: 'drift'; readonly damage: (body: Json, schema: JsonObject, seed: string) => Damaged }
