import type { Operation } from '../../contract/contract.ts'
import { isJson, matchMediaType } from '../../contract/media-types.ts'
import { type ResolvedObject, resolve } from '../../contract/resolve.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import { noBody, type ObservedAnswer, type ParsedBody } from './answer.ts'
import { createObservation, type DriftKind, type Observation } from './observation.ts'
import { findResponse } from './places.ts'

/** A documented response, as answers with its status are compared with it. */
export interface DescribedResponse {
  readonly mediaTypes: readonly string[]
  readonly headers: readonly DocumentedHeader[]
}

/** Describes the response of a status; undefined: it is not documented. */
export function describeResponse(
  document: JsonObject,
  operation: Operation,
  status: number,
): DescribedResponse | undefined {
  const response = findResponse(document, operation, status)
  if (!response) return undefined
  const { content } = response.value
  const mediaTypes = isObject(content) ? Object.keys(content) : []
  return { mediaTypes, headers: listHeaders(document, response) }
}

/** Parses the body of an answer, unless it is sent in a documented media type that is not JSON. */
export function readObservedBody(answer: ObservedAnswer, response: DescribedResponse | undefined): ParsedBody {
  return response && isOtherMedia(answer, response) ? noBody : answer.parse()
}

/** Compares the status, the headers and the form of the body with the contract. */
export function observeHead(
  answer: ObservedAnswer,
  response: DescribedResponse | undefined,
  { json, isBroken }: ParsedBody,
): Observation[] {
  if (response) return [...observeBodyForm(answer, response, isBroken), ...observeHeaders(answer, response)]
  const message = `the status ${answer.status} is not documented`
  return [difference('undocumented-status', message, String(answer.status), '', json)]
}

const isOtherMedia = ({ headers }: ObservedAnswer, { mediaTypes }: DescribedResponse) => {
  const sent = headers['content-type'] ?? ''
  return !isJson(sent) && matchMediaType(mediaTypes, sent) !== undefined
}

function observeBodyForm(answer: ObservedAnswer, response: DescribedResponse, isBroken: boolean): Observation[] {
  const { headers, bytes } = answer
  const { mediaTypes } = response
  if (mediaTypes.length === 0 || bytes === undefined || isOtherMedia(answer, response)) return []
  if (bytes.length === 0) return [difference('broken-json', 'the body is empty')]
  const sent = headers['content-type'] ?? ''
  if (matchMediaType(mediaTypes, sent) === undefined) {
    const message = `the body is sent as ${sent || 'no media type'}; documented is ${mediaTypes.join(' or ')}`
    return [difference('content-type', message, sent)]
  }
  return isBroken ? [difference('broken-json', 'the body is no JSON')] : []
}

interface DocumentedHeader {
  /** Lower case. */
  readonly name: string
  /** JSON pointer of the header itself. */
  readonly pointer: string
  readonly required: boolean
  readonly schema: JsonObject
}

/** Returns the documented headers of a response; `Content-Type` is documented by its content. */
export function listHeaders(document: JsonObject, { pointer, value }: ResolvedObject): DocumentedHeader[] {
  const names = isObject(value.headers) ? Object.keys(value.headers) : []
  return names.flatMap((name) => {
    const found = resolve(document, joinPointer(pointer, 'headers', name))
    if (!found || name.toLowerCase() === 'content-type') return []
    const schema = resolve(document, joinPointer(found.pointer, 'schema'))?.value ?? {}
    return [{ name: name.toLowerCase(), pointer: found.pointer, required: found.value.required === true, schema }]
  })
}

function observeHeaders({ headers }: ObservedAnswer, response: DescribedResponse): Observation[] {
  return response.headers.flatMap(({ name, required, schema }) => {
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
