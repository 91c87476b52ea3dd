import type { Json } from '../../../base/core/json.ts'

/** The kinds of differences between the real service and the contract, with their meaning for people. */
export const findingKinds = {
  'undocumented-status': 'a status that the contract does not have',
  'missing-field': 'a required field is missing',
  'renamed-field': 'a required field has another name',
  'absent-field': 'an optional field was never seen',
  'new-field': 'a field that the contract does not have',
  'wrong-type': 'a value of another type',
  null: 'null where the contract allows none',
  'enum-value': 'a value that the contract does not list',
  'no-enum': 'a list that seems to be open',
  format: 'a text of another format',
  constraint: 'a value that breaks another rule of the contract',
  header: 'a header that is missing, or has another type',
  'content-type': 'a media type that the contract does not have',
  'broken-json': 'a body that is no JSON',
} as const

export type DriftKind = keyof typeof findingKinds

const memberKinds: readonly DriftKind[] = ['missing-field', 'renamed-field', 'absent-field', 'new-field']

/** Returns true for a difference about a member that is there, or is not. */
export const isAboutMember = (kind: DriftKind) => memberKinds.includes(kind)

/** One difference in one response. */
export interface Observation {
  readonly kind: DriftKind
  /** JSON pointer in the body, with `*` for the items of an array; empty for the whole response. */
  readonly pointer: string
  /** The new value of an enum, the name of a header, the new name of a renamed field, or the broken keyword. */
  readonly detail: string
  /** The value at fault, if any. */
  readonly value: Json | undefined
  /** The broken keyword of JSON Schema; empty for other rules. */
  readonly keyword: string
  /** Is true if only a narrower rule of the simulator's own responses is broken (`x-simulated-values`). */
  readonly isSimulated: boolean
  /** A sentence without its subject: `must be a string; got null`. */
  readonly message: string
}

/** Creates an observation about a contract's own rule, with neither value nor keyword unless `others` has them. */
export const createObservation = (
  kind: DriftKind,
  pointer: string,
  message: string,
  others: Partial<Observation> = {},
): Observation => ({ kind, pointer, message, detail: '', value: undefined, keyword: '', isSimulated: false, ...others })
