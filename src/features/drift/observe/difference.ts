import type { Json } from '../../../base/core/json.ts'

export const differenceKinds = {
  'undocumented-status': 'a status that the contract does not have',
  'missing-field': 'a required field is missing',
  'new-field': 'a field that the contract does not have',
  'wrong-type': 'a value of another type',
  null: 'null where the contract allows none',
  'enum-value': 'a value that the contract does not list',
  'no-enum': 'a list that seems to be open',
  format: 'a text of another format',
  constraint: 'a value that breaks another rule of the contract',
  header: 'a header that is missing, or has another type',
  'content-type': 'a media type that the contract does not have',
  'broken-json': 'a body that is not JSON, or that parsers read differently',
} as const

export type DifferenceKind = keyof typeof differenceKinds

export const isAboutMember = (kind: DifferenceKind) => kind === 'missing-field' || kind === 'new-field'

export interface ResponseDifference {
  readonly kind: DifferenceKind
  /** JSON pointer in the body, with `*` for the items of an array; empty for the whole response. */
  readonly pointer: string
  /** The name of a header, the sent media type, or the keyword of a constraint; empty for other kinds. */
  readonly detail: string
  readonly value: Json | undefined
  readonly keyword: string
  /** True if only a narrower rule of the simulator's own responses is broken (`x-simulated-values`). */
  readonly isSimulated: boolean
  /** A sentence without its subject: `must be a string; got null`. */
  readonly message: string
}
