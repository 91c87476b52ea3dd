import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { isJson, matchMediaType } from '../../../service/contract/media-types.ts'
import { resolve } from '../../../service/contract/resolve.ts'
import { createObservation, type Observation, type ObservedResponse, type ParsedBody } from './observation.ts'
import { findResponse } from './places.ts'

export interface DocumentedHeader {
  /** Lower case. */
  readonly name: string
  /** JSON pointer of the header itself. */
  readonly pointer: string
  readonly required: boolean
  readonly schema: JsonObject
}

/** Finds the documented headers of a status but `Content-Type`, or undefined if the status is not documented. */
export function findHeaders(
  document: JsonObject,
  operation: Operation,
  status: number,
): readonly DocumentedHeader[] | undefined {
  const response = findResponse(document, operation, status)
  if (!response) return undefined
  const names = isObject(response.value.headers) ? Object.keys(response.value.headers) : []
  return names.flatMap((name) => {
    const found = resolve(document, joinPointer(response.pointer, 'headers', name))
    if (!found || name.toLowerCase() === 'content-type') return []
    const schema = resolve(document, joinPointer(found.pointer, 'schema'))?.value ?? {}
    return [{ name: name.toLowerCase(), pointer: found.pointer, required: found.value.required === true, schema }]
  })
}

/** Compares the status, the headers and the form of the body with the contract. `documented`: see `findHeaders`. */
export function observeHead(
  operation: Operation,
  response: ObservedResponse,
  documented: readonly DocumentedHeader[] | undefined,
  { json, isBroken }: ParsedBody,
): Observation[] {
  const { status, headers } = response
  if (documented)
    return [
      ...observeBodyForm(operation, response, isBroken),
      ...documented.flatMap((header) => observeHeader(header, headers[header.name]) ?? []),
    ]
  const message = `the status ${status} is not documented`
  return [createObservation('undocumented-status', '', message, { detail: String(status), value: json })]
}

function observeBodyForm(
  operation: Operation,
  { status, headers, body }: ObservedResponse,
  isBroken = false,
): Observation[] {
  const mediaTypes = operation.responseMediaTypes(status)
  const sent = headers['content-type'] ?? ''
  const match = matchMediaType(mediaTypes, sent)
  if (mediaTypes.length === 0 || body === undefined || (match !== undefined && !isJson(sent))) return []
  if (body.length === 0) return [createObservation('broken-json', '', 'the body is empty')]
  if (match !== undefined) return isBroken ? [createObservation('broken-json', '', 'the body is no JSON')] : []
  const message = `the body is sent as ${sent || 'no media type'}; documented is ${mediaTypes.join(' or ')}`
  return [createObservation('content-type', '', message, { detail: sent })]
}

function observeHeader({ name, required, schema }: DocumentedHeader, text: string | undefined) {
  const missing = { detail: name, keyword: 'required' }
  if (text === undefined)
    return required ? createObservation('header', '', `the header ${name} is missing`, missing) : undefined
  if (fitsType(text, schema)) return undefined
  const message = `the header ${name} must be ${describeType(schema)}; got ${JSON.stringify(text.slice(0, 60))}`
  return createObservation('header', '', message, { detail: name, keyword: 'type', value: text })
}

/** The patterns of types that not every text has. */
const patterns: Readonly<Record<string, RegExp>> = {
  integer: /^[+-]?\d+$/,
  number: /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i,
  boolean: /^(true|false)$/,
}

function fitsType(text: string, { type, enum: values }: JsonObject): boolean {
  if (Array.isArray(values)) return values.some((value) => String(value) === text.trim())
  const types = [type ?? []].flat()
  return types.length === 0 || types.some((name) => patterns[String(name)]?.test(text.trim()) ?? true)
}

function describeType({ type, enum: values }: JsonObject): string {
  return Array.isArray(values) ? `one of ${values.join(', ')}` : `of type ${[type ?? []].flat().join(' or ')}`
}
