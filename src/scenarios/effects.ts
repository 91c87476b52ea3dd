import type { Operation } from '../contract/contract.ts'
import type { Reply } from '../exchange.ts'

/** How the data family bends the invented figures of one answer. */
export interface Shaping {
  /** A persona instead of the model's own. */
  readonly persona: string | undefined
  readonly shape: 'no-null' | 'all-null' | undefined
  /** Fields set to null whatever the figures say: `avgSafetyScore`, `dataPoints.avgSafetyScore`. */
  readonly nulls: readonly string[]
}

export const unshaped: Shaping = { persona: undefined, shape: undefined, nulls: [] }

/** What a scenario does to a request that it acts on. */
export type Effect =
  /** Nothing: the service as it is. Stands in for "no scenario" where a wider scope has one. */
  | { readonly kind: 'ordinary' }
  /** Answers instead of the operation. */
  | { readonly kind: 'answer'; readonly reply: (operation: Operation) => Reply }
  /** Bends the answer of the operation. */
  | { readonly kind: 'shape'; readonly shaping: Partial<Shaping> }
