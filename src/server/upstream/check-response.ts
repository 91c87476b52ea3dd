import { type Json, measureJson, parseJson, type Violation } from '../../base/core/json.ts'
import { maxDepth } from '../../base/core/json-syntax.ts'
import { decode, hasByteOrderMark, readJson } from '../../base/core/strict-json.ts'
import { cutText } from '../../base/core/text.ts'
import type { Operation } from '../../service/contract/contract.ts'
import { isJson, matchMediaType } from '../../service/contract/media-types.ts'

export interface ReceivedResponse {
  readonly status: number
  /** The media type; empty if the response has no Content-Type. */
  readonly mediaType: string
  /** The body; empty if the response has no body, and undefined if the body was not received completely. */
  readonly bytes: Uint8Array | undefined
}

export interface CheckedResponse {
  readonly violations: readonly Violation[]
  /** The body, if it is JSON. */
  readonly value?: Json
  /** True if the body was not checked because it has too many members, items or levels. */
  readonly isTooLarge?: true
}

/** Checks the status, media type, JSON syntax and schema of a response from the real service. */
export function checkServiceResponse(
  operation: Operation,
  { status, mediaType, bytes }: ReceivedResponse,
  maxMembers: number,
): CheckedResponse {
  const undocumented = operation.checkResponse(status, null).filter(({ keyword }) => keyword === 'status')
  const types = operation.responseMediaTypes(status)
  const acceptsAnyBody = undocumented.length === 0 && types.length === 0
  if (bytes === undefined || operation.method === 'HEAD' || acceptsAnyBody) return { violations: undocumented }
  const typeErrors = types.length > 0 ? checkMediaType(types, mediaType, bytes) : undocumented
  if (bytes.length === 0 || !isJson(mediaType)) return { violations: typeErrors }
  const json = readBody(bytes, maxMembers)
  const bodyErrors = json.value === undefined || types.length === 0 ? [] : operation.checkResponse(status, json.value)
  return { ...json, violations: [...typeErrors, ...json.violations, ...bodyErrors] }
}

function readBody(bytes: Uint8Array, maxMembers: number): CheckedResponse {
  const { members, levels } = measureJson(parseJson(decode(bytes) ?? '') ?? null)
  if (members > maxMembers || levels > maxDepth) return { violations: [], isTooLarge: true }
  const read = readJson(bytes, maxMembers)
  if (read.ok) {
    const message = 'begins with a byte order mark, which JSON forbids'
    return { violations: hasByteOrderMark(bytes) ? [toViolation('json', message)] : [], value: read.value }
  }
  const { message, pointer } = read.error
  return { violations: [{ ...toViolation('json', message), pointer }] }
}

function checkMediaType(types: readonly string[], mediaType: string, bytes: Uint8Array): Violation[] {
  if (bytes.length === 0) return [toViolation('required', 'has no body, but the contract describes one')]
  if (matchMediaType(types, mediaType) !== undefined) return []
  const problem = mediaType === '' ? 'has no Content-Type' : `has the Content-Type "${cutText(mediaType)}"`
  return [toViolation('media-type', `${problem}, but the contract describes ${types.join(' or ')}`)]
}

const toViolation = (keyword: string, message: string): Violation => ({ in: 'response', pointer: '', keyword, message })
