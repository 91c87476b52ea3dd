import { type Json, type JsonSize, measureJson, parseJson } from '../../../base/core/json.ts'
import { maxDepth } from '../../../base/core/json-syntax.ts'
import { decode } from '../../../base/core/strict-json.ts'
import type { TrafficResponse } from '../../../server/upstream/traffic/sample.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { isJson, matchMediaType } from '../../../service/contract/media-types.ts'

/** A response of the real service to a request of an operation. */
export interface ObservedResponse extends TrafficResponse {
  /** The id of the operation. */
  readonly operation: string
  /** The redacted request, for people: `GET /v1/models/ID/analytics?period=7d`. */
  readonly request: string
  /** The body of the simulator's response to the same request, if it was asked and its status is the same. */
  readonly own: Json | undefined
}

/** The body of a response in the form in which it is compared. */
export interface ParsedBody {
  /** The body; absent if it is empty, not JSON, not recorded, or larger than `bodyBounds`. */
  readonly json?: Json
  /** The size of the body if it is larger than `bodyBounds`. */
  readonly size?: JsonSize
  readonly isBroken?: true
}

/** The largest body that is compared. A comparison takes some microseconds for each member. */
export const bodyBounds = { members: 200_000, levels: maxDepth }

/** Parses a body at each call, since all may not fit in memory. A documented media type other than JSON gives none. */
export function parseBodyOf(operation: Operation, { status, headers, body }: ObservedResponse): ParsedBody {
  const sent = headers['content-type'] ?? ''
  const isOther = !isJson(sent) && matchMediaType(operation.responseMediaTypes(status), sent) !== undefined
  if (isOther || body === undefined || body.length === 0) return {}
  const json = parseJson(decode(body) ?? '')
  if (json === undefined) return { isBroken: true }
  const size = measureJson(json)
  return size.members > bodyBounds.members || size.levels > bodyBounds.levels ? { size } : { json }
}

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
