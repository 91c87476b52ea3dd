import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import type { Validator } from '../documents/ajv.ts'
import type { Violation } from '../documents/violation.ts'
import { toViolations } from '../documents/violations.ts'
import { type Compiler, schemaRef } from './compiler.ts'
import type { DescribedParameter, ParameterValues, RawParameters } from './contract.ts'
import { dereference } from './dereference.ts'
import { type ResolvedObject, resolve } from './resolve.ts'

/** The places that parameters are read from; cookies are not. */
const PLACES = ['path', 'query', 'header'] as const
type ParameterPlace = (typeof PLACES)[number]

/** One parameter, as far as reading it needs. */
interface Parameter {
  readonly in: ParameterPlace
  /** As it is sent; lower case for a header. */
  readonly name: string
  readonly required: boolean
  /** What separates the items of a list; undefined for anything but a list. */
  readonly separator: string | undefined
  /** Described by a media type and not by a schema: the text is JSON. */
  readonly json: boolean
  readonly schemaPointer: string
}

/** The parameters of one place, with the validator of them all. */
interface Group {
  readonly place: ParameterPlace
  readonly parameters: readonly Parameter[]
  readonly validate: Validator | undefined
}

/** The parameters of an operation: what the document says of them, and their reader. */
export interface Parameters {
  readonly described: readonly DescribedParameter[]
  read(sent: RawParameters): { values: ParameterValues; violations: Violation[] }
}

/** OpenAPI says of these headers that a parameter of their name is to be ignored: other parts of the document rule them. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization']

/** Compiles the parameters of a path item and of an operation, the latter winning, into one reader. */
export function compileParameters(
  document: JsonObject,
  compiler: Compiler,
  pathPointer: string,
  operationPointer: string,
): Parameters {
  const byName = new Map<string, Parameter>()
  for (const owner of [pathPointer, operationPointer]) {
    for (const resolved of listed(document, joinPointer(owner, 'parameters'))) {
      const parameter = readParameter(document, resolved)
      if (parameter !== undefined) byName.set(`${parameter.in} ${parameter.name}`, parameter)
    }
  }
  const groups = PLACES.map((place) => {
    const parameters = [...byName.values()].filter((parameter) => parameter.in === place)
    return { place, parameters, validate: compileGroup(document, compiler, parameters, operationPointer) }
  }).filter(({ parameters }) => parameters.length > 0)
  return {
    described: [...byName.values()].map((parameter) => describe(document, parameter)),
    read(sent) {
      const values: Record<ParameterPlace, JsonObject> = { path: {}, query: {}, header: {} }
      const violations: Violation[] = []
      for (const group of groups) violations.push(...readGroup(group, sent[group.place], values[group.place]))
      return { values, violations }
    },
  }
}

function describe(document: JsonObject, parameter: Parameter): DescribedParameter {
  const { in: place, name, required, schemaPointer } = parameter
  const schema = resolve(document, schemaPointer)?.value
  return { in: place, name, required, schema: schema ? dereference(document, schema) : {} }
}

/** What a list of the document holds, references followed. */
function listed(document: JsonObject, pointer: string): ResolvedObject[] {
  const found: ResolvedObject[] = []
  for (let index = 0; ; index += 1) {
    const item = resolve(document, joinPointer(pointer, index))
    if (item === undefined) return found
    found.push(item)
  }
}

function readParameter(document: JsonObject, { pointer, value }: ResolvedObject): Parameter | undefined {
  const place = PLACES.find((known) => known === value.in)
  if (place === undefined || typeof value.name !== 'string') return undefined
  const name = place === 'header' ? value.name.toLowerCase() : value.name
  if (place === 'header' && IGNORED_HEADERS.includes(name)) return undefined
  const mediaType = isObject(value.content) ? Object.keys(value.content)[0] : undefined
  const json = mediaType !== undefined
  const schemaPointer = json
    ? joinPointer(pointer, 'content', mediaType, 'schema')
    : joinPointer(pointer, 'schema')
  return {
    in: place,
    name,
    required: value.required === true,
    separator: json ? undefined : separatorOf(document, value, schemaPointer),
    json,
    schemaPointer,
  }
}

function separatorOf(document: JsonObject, parameter: JsonObject, pointer: string): string | undefined {
  const type = resolve(document, pointer)?.value.type
  if (type !== 'array' && !(Array.isArray(type) && type.includes('array'))) return undefined
  if (parameter.style === 'spaceDelimited') return ' '
  if (parameter.style === 'pipeDelimited') return '|'
  const repeated = parameter.in === 'query' && parameter.explode !== false
  // A repeated parameter that comes once is a list of one, whatever it contains: nothing separates.
  return repeated ? '' : ','
}

function compileGroup(
  document: JsonObject,
  compiler: Compiler,
  parameters: readonly Parameter[],
  pointer: string,
): Validator | undefined {
  if (parameters.length === 0) return undefined
  const properties = parameters.map(({ name, schemaPointer }): [string, Json] => {
    const schema = resolve(document, schemaPointer)?.value
    if (schema === undefined) return [name, true]
    const $ref = schemaRef(schemaPointer)
    // ajv looks for defaults beside the property only, not behind a reference.
    return [name, schema.default === undefined ? { $ref } : { $ref, default: schema.default }]
  })
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return compiler.parameters(
    { type: 'object', properties: Object.fromEntries(properties), required },
    pointer,
  )
}

/** Reads what was sent for a group into `values`. Parameters that are not described are passed over. */
function readGroup(
  { place, parameters, validate }: Group,
  sent: RawParameters[ParameterPlace],
  values: JsonObject,
): Violation[] {
  const violations: Violation[] = []
  for (const parameter of parameters) {
    const text = Object.hasOwn(sent, parameter.name) ? sent[parameter.name] : undefined
    if (text === undefined) continue
    const value = readText(parameter, text)
    if (value !== undefined) values[parameter.name] = value
    else {
      const pointer = joinPointer('', parameter.name)
      violations.push({ in: place, pointer, keyword: 'json', message: 'must be JSON; it cannot be parsed' })
    }
  }
  if (validate === undefined || validate(values)) return violations
  // What could not be parsed is missing in the values, and has been spoken of.
  const spoken = new Set(violations.map(({ pointer }) => pointer))
  const others = toViolations(validate.errors, place).filter(({ pointer }) => !spoken.has(pointer))
  return [...violations, ...others]
}

/** The value that ajv is to type; undefined where the text should be JSON and is not. */
function readText({ json, separator }: Parameter, text: string | readonly string[]): Json | undefined {
  if (json && typeof text === 'string') {
    try {
      return JSON.parse(text) as Json // proved by the parser
    } catch {
      return undefined
    }
  }
  // A copy, since ajv types the items in place.
  if (typeof text !== 'string') return [...text]
  if (separator === undefined) return text
  return separator === '' ? [text] : text.split(separator)
}
