import { parse } from 'node:querystring'
import { isObject, type Json, type JsonObject, parseJson } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import { findSimilar } from '../../base/core/similar.ts'
import { cutText } from '../../base/core/text.ts'
import type { Violation } from '../../base/core/violation.ts'
import { type HideSecret, toViolations } from '../../base/documents/violations.ts'
import { hideCredential } from '../../base/redaction/redact-document.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import { type Compiler, schemaRef } from './compiler.ts'
import type { DescribedParameter, Operation, RawParameters } from './contract.ts'
import { dereference, type ResolvedObject, resolve } from './resolve.ts'
import { listHiddenNames } from './security.ts'

/** The locations of parameters that are read. Cookies are ignored. */
const LOCATIONS = ['path', 'query', 'header'] as const
type ParameterLocation = (typeof LOCATIONS)[number]

type SentTexts = RawParameters[ParameterLocation]

interface Parameter extends DescribedParameter {
  /** The separator of a list's items; empty for a repeated parameter; undefined if the parameter is not a list. */
  readonly separator: string | undefined
  /** True if the parameter has a media type instead of a schema: its text is JSON. */
  readonly isJson: boolean
  readonly schemaPointer: string
}

/** The headers that OpenAPI excludes from parameters, because other parts of the document describe them. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization']

/**
 * Compiles the parameters of a path item and of an operation; those of the operation win. `described` has those that
 * are read; `read` coerces sent ones, whose `values` are reliable only without violations.
 */
export function compileParameters(document: JsonObject, compiler: Compiler, pathItem: string, operation: string) {
  const byName = new Map<string, Parameter>()
  for (const owner of [pathItem, operation]) {
    const pointer = joinPointer(owner, 'parameters')
    const list = valueAt(document, pointer)
    for (const index of Array.isArray(list) ? list.keys() : []) {
      const resolved = resolve(document, joinPointer(pointer, index))
      const parameter = resolved && readParameter(document, resolved)
      if (parameter) byName.set(`${parameter.in} ${parameter.name}`, parameter)
    }
  }
  const described = [...byName.values()]
  const groups = LOCATIONS.flatMap((location) => {
    const parameters = described.filter((parameter) => parameter.in === location)
    if (parameters.length === 0) return []
    const validate = compiler.getParameterValidator(describeGroup(document, parameters), operation)
    return [{ location, parameters, validate, hide: hideIn(document, location) }]
  })
  return {
    described,
    read(sent: RawParameters) {
      const values: Record<ParameterLocation, JsonObject> = { path: {}, query: {}, header: {} }
      const violations = groups.flatMap(({ location, parameters, validate, hide }) => {
        const unreadable = readGroup(parameters, sent[location], values[location])
        if (validate === undefined || validate(values[location])) return unreadable
        // A parameter that cannot be parsed is missing in the values, and has its violation already.
        const others = toViolations(validate.errors, location, '', hide)
        return [...unreadable, ...others.filter((one) => !unreadable.some(({ pointer }) => pointer === one.pointer))]
      })
      return { values, violations }
    },
  }
}

/** Hides credentials of a location, also API keys under names of their own. A path is shown as it is sent. */
function hideIn(document: JsonObject, location: ParameterLocation): HideSecret | undefined {
  if (location === 'path') return undefined
  const keys = listHiddenNames(document)
  return (names, value) => (keys.includes((names[0] ?? '').toLowerCase()) ? redacted : hideCredential(names, value))
}

function readParameter(document: JsonObject, { pointer, value }: ResolvedObject): Parameter | undefined {
  const location = LOCATIONS.find((known) => known === value.in)
  if (location === undefined || typeof value.name !== 'string') return undefined
  const name = location === 'header' ? value.name.toLowerCase() : value.name
  if (location === 'header' && IGNORED_HEADERS.includes(name)) return undefined
  const mediaType = isObject(value.content) ? Object.keys(value.content)[0] : undefined
  const isJson = mediaType !== undefined
  const schemaPointer = isJson ? joinPointer(pointer, 'content', mediaType, 'schema') : joinPointer(pointer, 'schema')
  const schema = resolve(document, schemaPointer)?.value
  return {
    in: location,
    name,
    required: value.required === true,
    pointer,
    isDeepObject: location === 'query' && value.style === 'deepObject',
    schema: schema ? dereference(document, schema) : {},
    separator: isJson || !hasType(schema, 'array') ? undefined : findSeparator(value),
    isJson,
    schemaPointer,
  }
}

const hasType = (schema: Json | undefined, type: string) => isObject(schema) && [schema.type].flat().includes(type)

function findSeparator({ style, explode, in: location }: JsonObject): string {
  if (style === 'spaceDelimited') return ' '
  if (style === 'pipeDelimited') return '|'
  // A repeated parameter has no separator: sent once, it is a list of a single item, even if the item contains commas.
  return location === 'query' && explode !== false ? '' : ','
}

function describeGroup(document: JsonObject, parameters: readonly Parameter[]): JsonObject {
  const properties = parameters.map(({ name, required, schemaPointer }): [string, Json] => {
    const schema = resolve(document, schemaPointer)?.value
    if (schema === undefined) return [name, true]
    const $ref = schemaRef(schemaPointer)
    // ajv does not look for a default behind a reference, and fills in defaults before it looks for what is required.
    return [name, required || schema.default === undefined ? { $ref } : { $ref, default: schema.default }]
  })
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return { type: 'object', properties: Object.fromEntries(properties), required }
}

/** Reads the sent ones of parameters into `values`, and returns the violations of those that cannot be parsed. */
function readGroup(parameters: readonly Parameter[], sent: SentTexts, values: JsonObject): Violation[] {
  return parameters.flatMap((parameter) => {
    const text = findSent(parameter, sent)
    const value = text === undefined ? undefined : parseText(parameter, text)
    if (value !== undefined) values[parameter.name] = value
    if (text === undefined || value !== undefined) return []
    const message = 'must be JSON; it cannot be parsed'
    return [{ in: parameter.in, pointer: joinPointer('', parameter.name), keyword: 'json', message }]
  })
}

/** Returns the text of a sent parameter, its texts or, in the style `deepObject`, its members; undefined if absent. */
function findSent(parameter: Parameter, sent: SentTexts) {
  const { name, isDeepObject, schema } = parameter
  const text = Object.hasOwn(sent, name) ? sent[name] : undefined
  if (!isDeepObject || text !== undefined) return text
  const members = Object.entries(sent).filter(([key]) => isMemberOf(parameter, key))
  const texts = members.map(([key, value]) => [key.slice(name.length + 1, -1), value] as const)
  return texts.length === 0 ? undefined : readFields(schema, texts)
}

/** Returns true for the name of a member of a parameter of the style `deepObject`: `filter[min]` of `filter`. */
export function isMemberOf({ name, isDeepObject }: DescribedParameter, sent: string): boolean {
  return isDeepObject && sent.startsWith(`${name}[`) && sent.endsWith(']')
}

/** Returns true for the name of a query parameter as it is sent, that of a member included. */
export const isParameterName = (parameters: readonly DescribedParameter[], sent: string): boolean =>
  parameters.some((one) => one.in === 'query' && (one.name === sent || isMemberOf(one, sent)))

/** Returns the value of a sent parameter, whose texts ajv coerces later; undefined if it should be JSON and is not. */
function parseText({ isJson, separator }: Parameter, text: string | readonly string[] | JsonObject): Json | undefined {
  if (isObject(text)) return text
  if (isJson && typeof text === 'string') return parseJson(text)
  // ajv coerces the items in place, so it gets a copy.
  if (typeof text !== 'string') return [...text]
  if (separator === undefined) return text
  return separator === '' ? [text] : text.split(separator)
}

/** A field of a form or of a `deepObject`: its name, and its text or its texts if it is repeated. */
type Field = readonly [name: string, text: string | readonly string[]]

export function readForm(schema: JsonObject, text: string): JsonObject {
  // `parse` sets no member to undefined.
  return readFields(schema, Object.entries(parse(text, '&', '=', { maxKeys: 0 })) as unknown as readonly Field[])
}

/** Reads fields: one that is a list in the schema is a list also if it is sent once; the text of an object is JSON. */
function readFields({ properties }: JsonObject, fields: readonly Field[]): JsonObject {
  const schemas = isObject(properties) ? properties : {}
  return Object.fromEntries(
    fields.map(([name, text]): [string, Json] => {
      if (typeof text !== 'string') return [name, [...text]]
      if (hasType(schemas[name], 'object')) return [name, parseJson(text) ?? text]
      return [name, hasType(schemas[name], 'array') ? [text] : text]
    }),
  )
}

/** The largest number of findings of one request, and of unknown members that are compared in one body. */
const MAX_FINDINGS = 20
const MAX_COMPARED = 1000

/**
 * Finds probable typing errors that the contract lets pass: undocumented query parameters, and members of the body that
 * differ from a documented one by a letter or a capital. Other undocumented members may be intended.
 */
export function findUnknownNames(operation: Operation, query: RawParameters['query'], body: Json | undefined) {
  const findings: Violation[] = []
  for (const name in query) {
    if (operation.queryKeys.includes(name) || isParameterName(operation.parameters, name)) continue
    if (findings.push(unknownParameter(name, operation)) === MAX_FINDINGS) break
  }
  const schema = operation.bodySchema()
  if (schema && body !== undefined) findUnknownMembers(schema, body, '', { findings, comparisons: MAX_COMPARED })
  return findings
}

function unknownParameter(name: string, { parameters, queryKeys }: Operation): Violation {
  const known = [...parameters.filter((one) => one.in === 'query').map((one) => one.name), ...queryKeys]
  const similar = findSimilar(name, known)
  const list = known.length === 0 ? 'there is none' : `known: ${known.join(', ')}`
  const hint = similar === undefined ? list : `did you mean "${similar}"?`
  const message = `is no query parameter of this operation, and has no effect; ${hint}`
  return { in: 'query', pointer: joinPointer('', cutText(name)), keyword: 'unknown-parameter', message }
}

/** The findings of a body so far, and the comparisons that are left: bodies can have any number of members. */
interface Search {
  readonly findings: Violation[]
  comparisons: number
}

/** Compares the members of a value with a schema without references; the `$ref` of a recursive schema ends it. */
function findUnknownMembers({ properties, items }: JsonObject, value: Json, pointer: string, search: Search): void {
  if (isObject(value) && isObject(properties)) compareMembers(properties, value, pointer, search)
  if (!Array.isArray(value) || !isObject(items)) return
  for (const [index, item] of value.entries()) findUnknownMembers(items, item, `${pointer}/${index}`, search)
}

function compareMembers(properties: JsonObject, value: JsonObject, pointer: string, search: Search): void {
  for (const name in value) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
    const member = value[name]
    if (inner === undefined) compareMember(properties, value, name, pointer, search)
    // Most members are texts and numbers, and a pointer takes longer than all else here.
    else if (isObject(inner) && typeof member === 'object')
      findUnknownMembers(inner, member, joinPointer(pointer, name), search)
  }
}

/** Adds a finding if the object lacks a similar documented name; beside the documented one, the other is intended. */
function compareMember(properties: JsonObject, value: JsonObject, name: string, pointer: string, search: Search): void {
  if (search.comparisons === 0 || search.findings.length >= MAX_FINDINGS) return
  search.comparisons -= 1
  const similar = findSimilar(name, Object.keys(properties))
  if (similar === undefined || Object.hasOwn(value, similar)) return
  search.findings.push({
    in: 'body',
    pointer: joinPointer(pointer, name),
    keyword: 'similar-name',
    message: `is not documented, and has no effect; did you mean "${similar}"?`,
  })
}
