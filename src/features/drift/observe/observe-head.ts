import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { isJson, matchMediaType } from '../../../service/contract/media-types.ts'
import { resolve } from '../../../service/contract/resolve.ts'
import { createObservation, type DriftKind, type Observation } from './observation.ts'
import { findResponse } from './places.ts'
import type { ObservedResponse, ParsedBody } from './response.ts'

/** Compares the status, the headers and the form of the body with the contract. `documented`: see `findHeaders`. */
export function observeHead(
  response: ObservedResponse,
  documented: readonly DocumentedHeader[] | undefined,
  { json, isBroken }: ParsedBody,
): Observation[] {
  if (documented) return [...observeBodyForm(response, isBroken), ...observeHeaders(response, documented)]
  const message = `the status ${response.status} is not documented`
  return [difference('undocumented-status', message, String(response.status), '', json)]
}

function observeBodyForm({ operation, status, headers, bytes }: ObservedResponse, isBroken = false): Observation[] {
  const mediaTypes = operation.responseMediaTypes(status)
  const sent = headers['content-type'] ?? ''
  const match = matchMediaType(mediaTypes, sent)
  if (mediaTypes.length === 0 || bytes === undefined || (match !== undefined && !isJson(sent))) return []
  if (bytes.length === 0) return [difference('broken-json', 'the body is empty')]
  if (match !== undefined) return isBroken ? [difference('broken-json', 'the body is no JSON')] : []
  const message = `the body is sent as ${sent || 'no media type'}; documented is ${mediaTypes.join(' or ')}`
  return [difference('content-type', message, sent)]
}

/** A documented header of a response. */
export interface DocumentedHeader {
  /** Lower case. */
  readonly name: string
  /** JSON pointer of the header itself. */
  readonly pointer: string
  readonly required: boolean
  readonly schema: JsonObject
}

/** Finds the documented headers of a status, or undefined if it is not documented. `Content-Type` is none of them. */
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

function observeHeaders({ headers }: ObservedResponse, documented: readonly DocumentedHeader[]): Observation[] {
  return documented.flatMap(({ name, required, schema }) => {
    const text = headers[name]
    if (text === undefined)
      return required ? [difference('header', `the header ${name} is missing`, name, 'required')] : []
    if (fitsType(text, schema)) return []
    const message = `the header ${name} must be ${describeType(schema)}; got ${JSON.stringify(text.slice(0, 60))}`
    return [difference('header', message, name, 'type', text)]
  })
}

const patterns: Readonly<Record<string, RegExp>> = {
  integer: /^[+-]?\d+$/,
  number: /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i,
  boolean: /^(true|false)$/,
  string: /^/,
  array: /^/,
  object: /^/,
}

/** Returns true for a header's text that a value of the schema can have. */
function fitsType(text: string, { type, enum: values }: JsonObject): boolean {
  if (Array.isArray(values)) return values.some((value) => String(value) === text.trim())
  const types = [type ?? []].flat()
  return types.length === 0 || types.some((name) => patterns[String(name)]?.test(text.trim()) ?? true)
}

function describeType({ type, enum: values }: JsonObject): string {
  return Array.isArray(values) ? `one of ${values.join(', ')}` : `of type ${[type ?? []].flat().join(' or ')}`
}

const difference = (kind: DriftKind, message: string, detail = '', keyword = '', value?: Json): Observation =>
  createObservation(kind, '', message, { detail, keyword, value })
