import { isObject, type Json, type JsonObject, parseJson } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import type { Violation } from '../../base/core/violation.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import { type HideSecret, toViolations } from '../../base/documents/violations.ts'
import { hideCredential } from '../../base/redaction/redact-document.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import { type Compiler, schemaRef } from './compiler.ts'
import type { DescribedParameter, RawParameters } from './contract.ts'
import { dereference } from './dereference.ts'
import { readFields } from './fields.ts'
import { type ResolvedObject, resolve } from './resolve.ts'
import { listHiddenNames } from './security.ts'

/** The locations of parameters that are read. Cookies are ignored. */
const LOCATIONS = ['path', 'query', 'header'] as const
type ParameterLocation = (typeof LOCATIONS)[number]

interface Parameter extends DescribedParameter {
  /** The separator of a list's items; empty for a repeated parameter; undefined if the parameter is not a list. */
  readonly separator: string | undefined
  /** True if the parameter has a media type instead of a schema: its text is JSON. */
  readonly isJson: boolean
  readonly schemaPointer: string
}

interface ParameterGroup {
  readonly location: ParameterLocation
  readonly parameters: readonly Parameter[]
  /** The validator of the object of all these parameters. */
  readonly validate: Validator | undefined
  readonly hide: HideSecret | undefined
}

/** The headers that OpenAPI excludes from parameters, because other parts of the document describe them. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization']

/**
 * Compiles the parameters of a path item and of an operation; those of the operation win. `described` has those that
 * are read; `read` coerces sent ones, whose `values` are reliable only without violations.
 */
export function compileParameters(
  document: JsonObject,
  compiler: Compiler,
  pathPointer: string,
  operationPointer: string,
) {
  const byName = new Map<string, Parameter>()
  for (const owner of [pathPointer, operationPointer]) {
    for (const resolved of resolveList(document, joinPointer(owner, 'parameters'))) {
      const parameter = readParameter(document, resolved)
      if (parameter !== undefined) byName.set(`${parameter.in} ${parameter.name}`, parameter)
    }
  }
  const parameters = [...byName.values()]
  const groups = LOCATIONS.flatMap((location): ParameterGroup[] => {
    const ofLocation = parameters.filter((parameter) => parameter.in === location)
    if (ofLocation.length === 0) return []
    const validate = compileGroup(document, compiler, ofLocation, operationPointer)
    return [{ location, parameters: ofLocation, validate, hide: hideIn(document, location) }]
  })
  return {
    described: parameters,
    read(sent: RawParameters) {
      const values: Record<ParameterLocation, JsonObject> = { path: {}, query: {}, header: {} }
      const violations: Violation[] = []
      for (const group of groups) violations.push(...readGroup(group, sent[group.location], values[group.location]))
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

/** Returns the objects of a list of the document; references are followed. */
function resolveList(document: JsonObject, pointer: string): ResolvedObject[] {
  const list = valueAt(document, pointer)
  const items = Array.isArray(list) ? list.map((_, index) => resolve(document, joinPointer(pointer, index))) : []
  return items.filter((item) => item !== undefined)
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
    isDeepObject: location === 'query' && value.style === 'deepObject',
    schema: schema ? dereference(document, schema) : {},
    separator: isJson ? undefined : findSeparator(value, schema?.type),
    isJson,
    schemaPointer,
  }
}

function findSeparator(parameter: JsonObject, type: Json | undefined): string | undefined {
  if (type !== 'array' && !(Array.isArray(type) && type.includes('array'))) return undefined
  if (parameter.style === 'spaceDelimited') return ' '
  if (parameter.style === 'pipeDelimited') return '|'
  // A repeated parameter has no separator: sent once, it is a list of a single item, even if the item contains commas.
  const isRepeated = parameter.in === 'query' && parameter.explode !== false
  return isRepeated ? '' : ','
}

function compileGroup(
  document: JsonObject,
  compiler: Compiler,
  parameters: readonly Parameter[],
  pointer: string,
): Validator | undefined {
  const properties = parameters.map(({ name, required: isRequired, schemaPointer }): [string, Json] => {
    const schema = resolve(document, schemaPointer)?.value
    if (schema === undefined) return [name, true]
    const $ref = schemaRef(schemaPointer)
    // ajv does not look for a default behind a reference, and fills in defaults before it looks for what is required.
    return [name, isRequired || schema.default === undefined ? { $ref } : { $ref, default: schema.default }]
  })
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return compiler.getParameterValidator(
    { type: 'object', properties: Object.fromEntries(properties), required },
    pointer,
  )
}

/** Reads the sent parameters of a group into `values`. Undocumented parameters are ignored. */
function readGroup(
  { location, parameters, validate, hide }: ParameterGroup,
  sent: RawParameters[ParameterLocation],
  values: JsonObject,
): Violation[] {
  const violations: Violation[] = []
  for (const parameter of parameters) {
    const text = findSent(parameter, sent)
    if (text === undefined) continue
    const value = parseParameterText(parameter, text)
    if (value !== undefined) values[parameter.name] = value
    else {
      const [pointer, message] = [joinPointer('', parameter.name), 'must be JSON; it cannot be parsed']
      violations.push({ in: location, pointer, keyword: 'json', message })
    }
  }
  if (validate === undefined || validate(values)) return violations
  // A parameter that cannot be parsed is missing in the values, and has its violation already.
  const reported = new Set(violations.map(({ pointer }) => pointer))
  const others = toViolations(validate.errors, location, '', hide).filter(({ pointer }) => !reported.has(pointer))
  return [...violations, ...others]
}

/** Returns the text of a sent parameter, its texts or, in the style `deepObject`, its members; undefined if absent. */
function findSent({ name, isDeepObject, schema }: Parameter, sent: RawParameters[ParameterLocation]) {
  const text = Object.hasOwn(sent, name) ? sent[name] : undefined
  if (!isDeepObject || text !== undefined) return text
  const members = Object.entries(sent).filter(([key]) => isMemberOf(name, key))
  const texts = members.map(([key, value]) => [key.slice(name.length + 1, -1), value] as const)
  return texts.length === 0 ? undefined : readFields(schema, texts)
}

/** Returns true for the name of a member of a parameter of the style `deepObject`: `filter[min]` of `filter`. */
export function isMemberOf(name: string, key: string): boolean {
  return key.startsWith(`${name}[`) && key.endsWith(']')
}

/** Returns the value of a sent parameter, whose texts ajv coerces later; undefined if it should be JSON and is not. */
function parseParameterText(
  { isJson, separator }: Parameter,
  text: string | readonly string[] | JsonObject,
): Json | undefined {
  if (isObject(text)) return text
  if (isJson && typeof text === 'string') return parseJson(text)
  // ajv coerces the items in place, so it gets a copy.
  if (typeof text !== 'string') return [...text]
  if (separator === undefined) return text
  return separator === '' ? [text] : text.split(separator)
}
