import { parse } from 'node:querystring'
import { isObject, type Json, type JsonObject, parseJson } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import type { Violation } from '../../base/core/violation.ts'
import { type HideSecret, toViolations } from '../../base/documents/violations.ts'
import { hideCredential } from '../../base/redaction/redact-document.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import { type Compiler, schemaRef } from './compiler.ts'
import type { DescribedParameter, RawParameters } from './contract.ts'
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

/** Returns the object of a form, whose texts its validator coerces. */
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
