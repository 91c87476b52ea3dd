import { parse } from 'node:querystring'
import { isObject, type Json, type JsonObject, type Violation } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import { once } from '../../base/core/memoize.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import { type HideSecret, toViolations } from '../../base/documents/violations.ts'
import { hideCredential } from '../../base/redaction/redact-document.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import type { Compiler } from './compiler.ts'
import { isJson } from './media-types.ts'
import { type Sent, Shape } from './request/shape.ts'
import { createFinder, type Fields, readSent, type Serialization } from './request/styles.ts'
import { dereference, type ResolvedObject, resolve } from './resolve.ts'
import { listHiddenNames } from './security.ts'

const DEFAULT_STYLES = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const
const LOCATIONS = Object.keys(DEFAULT_STYLES) as (keyof typeof DEFAULT_STYLES)[]

/** The parameters of a request, decoded but not yet coerced. A repeated query parameter is an array. */
export interface RawParameters {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** Headers by lower-case name. */
  readonly header: Readonly<Record<string, string>>
}

/** The parameters of a request, coerced to the types of their schemas, with defaults filled in. */
export type ParameterValues = Readonly<Record<keyof RawParameters, JsonObject>>

interface Parameter extends Serialization {
  readonly required: boolean
  readonly pointer: string
  /** The schema after `dereference`; empty for a parameter without a schema. */
  readonly schema: JsonObject
  readonly validate: Validator | undefined
  /** True if an empty string is accepted regardless of the schema. */
  readonly allowsEmpty: boolean
  readonly at: Pick<Violation, 'in' | 'pointer'>
  readonly hide: HideSecret
}

export interface DescribedParameter extends Parameter {
  readonly in: keyof RawParameters
  /** True for the style `deepObject`: each member is sent as a separate parameter, such as `filter[min]=3`. */
  readonly isDeepObject: boolean
  /** Returns true if `sent` has the parameter or, in a query, one of its members (such as `filter[min]`). */
  isIn(sent: Fields): boolean
}

/** The headers that OpenAPI excludes from parameters, because other parts of the document describe them. */
const IGNORED = ['header accept', 'header content-type', 'header authorization']

/** Compiles the parameters of an operation and its path item; the operation wins. `described` excludes cookies. */
export function compileParameters(document: JsonObject, compiler: Compiler, pathItem: string, operation: string) {
  const byName = new Map<string, Parameter>()
  for (const owner of [pathItem, operation]) {
    const pointer = joinPointer(owner, 'parameters')
    const list = valueAt(document, pointer)
    for (const index of Array.isArray(list) ? list.keys() : []) {
      const resolved = resolve(document, joinPointer(pointer, index))
      const parameter = resolved && readParameter(document, compiler, resolved)
      if (parameter) byName.set(`${parameter.in} ${parameter.name}`, parameter)
    }
  }
  const groups = LOCATIONS.map((location) => {
    const parameters = [...byName.values()].filter((parameter) => parameter.in === location)
    return { location, parameters, find: createFinder(parameters) }
  }).filter(({ parameters }) => parameters.length > 0)
  return {
    described: groups.flatMap(({ location, parameters, find }): DescribedParameter[] => {
      if (location === 'cookie') return []
      return parameters.map((parameter) => ({
        ...parameter,
        in: location,
        isDeepObject: parameter.style === 'deepObject',
        isIn: (sent) => Object.hasOwn(sent, parameter.name) || (location === 'query' && find(sent).sent.has(parameter)),
      }))
    }),
    read(sent: RawParameters) {
      const values = { path: {}, query: {}, header: {} }
      const violations = groups.flatMap(({ location, parameters, find }) => {
        if (location === 'cookie') return readGroup(parameters, find(readCookies(sent.header)).sent, {})
        return readGroup(parameters, find(sent[location]).sent, values[location])
      })
      return { values, violations }
    },
  }
}

function readParameter(
  document: JsonObject,
  compiler: Compiler,
  { pointer, value }: ResolvedObject,
): Parameter | undefined {
  const location = LOCATIONS.find((candidate) => candidate === value.in)
  if (location === undefined || typeof value.name !== 'string') return undefined
  const name = location === 'header' ? value.name.toLowerCase() : value.name
  if (IGNORED.includes(`${location} ${name}`)) return undefined
  const mediaType = isObject(value.content) ? Object.keys(value.content)[0] : undefined
  const owner = mediaType === undefined ? pointer : joinPointer(pointer, 'content', mediaType)
  const schemaPointer = joinPointer(owner, 'schema')
  const { value: schema = {} } = resolve(document, schemaPointer) ?? {}
  const { style = DEFAULT_STYLES[location] } = mediaType === undefined ? value : { style: '' }
  return {
    in: location,
    name,
    required: value.required === true,
    pointer,
    style: String(style),
    explode: value.explode === undefined ? style === 'form' : value.explode === true,
    isJson: mediaType !== undefined && isJson(mediaType),
    allowsEmpty: value.allowEmptyValue === true,
    ...describeErrors(document, location, name),
    shape: new Shape(document, [schema]),
    schema: dereference(document, schema),
    validate: isObject(valueAt(document, schemaPointer)) ? compiler.getValidator(schemaPointer, 'request') : undefined,
  }
}

/** Returns where a parameter's violations are reported, and how credentials are hidden. Path values stay visible. */
function describeErrors(document: JsonObject, location: Parameter['in'], name: string): Pick<Parameter, 'at' | 'hide'> {
  if (location === 'cookie')
    return { at: { in: 'header', pointer: joinPointer('/cookie', name) }, hide: () => redacted }
  const at = { in: location, pointer: joinPointer('', name) }
  if (location === 'path') return { at, hide: () => undefined }
  const isApiKey = listHiddenNames(document).includes(name.toLowerCase())
  return { at, hide: (names, value) => (isApiKey ? redacted : hideCredential([name, ...names], value)) }
}

/** Reads sent parameters into `values` and fills in defaults. Returns violations, missing parameters first. */
function readGroup(parameters: readonly Parameter[], sent: ReadonlyMap<Parameter, Sent>, values: JsonObject) {
  const missing: Violation[] = []
  const invalid: Violation[] = []
  for (const parameter of parameters) {
    const { name, at, required, schema } = parameter
    const raw = sent.get(parameter)
    if (raw !== undefined) {
      const read = readValue(parameter, raw)
      if (read.ok) values[name] = read.value
      else invalid.push(...read.error)
    } else if (required) missing.push({ ...at, keyword: 'required', message: 'is required' })
    else if (isObject(schema.default) || Array.isArray(schema.default)) values[name] = structuredClone(schema.default)
    else if (schema.default !== undefined) values[name] = schema.default // a primitive, which needs no copy
  }
  return [...missing, ...invalid]
}

/** Returns a parameter's value or violations. Retries an invalid list as a single value, and other values as text. */
function readValue(parameter: Parameter, raw: Sent): Result<Json, Violation[]> {
  const { shape, validate, allowsEmpty, at, hide } = parameter
  const read = readSent(parameter, raw)
  if (!read.ok) return failure([{ ...at, ...read.error }])
  if (validate === undefined || (raw === '' && allowsEmpty) || validate(read.value)) return read
  const violations = toViolations(validate.errors, at.in, at.pointer, hide)
  const alternative = typeof raw === 'string' ? (shape.types.has('array') ? shape.readText(raw) : raw) : read.value
  const hasAlternative = alternative !== read.value && (typeof alternative !== 'string' || shape.takesText)
  return hasAlternative && validate(alternative) ? success(alternative) : failure(violations)
}

/** Returns the percent-decoded cookies of a request. */
export const readCookies = ({ cookie = '' }: RawParameters['header']): Fields =>
  // `parse` never sets a member to undefined, and reads a plus sign as a space.
  parse(cookie.replaceAll('; ', ';').replaceAll('+', '%2B'), ';', '=', { maxKeys: 0 }) as Fields

/** Returns true if `sent` is the name of a query parameter or of one of its members, such as `filter[min]`. */
export const isQueryParameterName = (parameters: readonly DescribedParameter[], sent: string): boolean =>
  parameters.some((parameter) => parameter.in === 'query' && parameter.isIn({ [sent]: '' }))

/** Returns a function that parses a form. The media type's `encoding` defines the styles of the fields. */
export function compileForm(document: JsonObject, media: string): (text: string) => JsonObject {
  const form = new Shape(document, [resolve(document, joinPointer(media, 'schema'))?.value ?? {}])
  const finder = once(() =>
    createFinder([...form.names].map((name) => readField(document, joinPointer(media, 'encoding', name), name, form))),
  )
  return (text) => {
    const fields = parse(text, '&', '=', { maxKeys: 0 }) as Fields // `parse` never sets a member to undefined
    const { sent, unknown } = finder()(fields)
    const known = [...sent].map(([field, raw]) => {
      const read = readSent(field, raw)
      return [field.name, read.ok ? read.value : field.shape.read(raw)]
    })
    const others = unknown.map((name) => [name, form.member(name).read(fields[name] ?? '')])
    return Object.fromEntries([...known, ...others])
  }
}

/** Reads the style of a form field. By default, an object may be sent as JSON or with bracketed names. */
function readField(document: JsonObject, pointer: string, name: string, form: Shape): Serialization {
  const shape = form.member(name)
  const { style, explode, contentType } = resolve(document, pointer)?.value ?? {}
  const isComplex = shape.types.has('object') || shape.items.types.has('object')
  const usesJson = contentType === undefined ? isComplex : isJson(String(contentType))
  return {
    in: 'query',
    name,
    style: style === undefined ? (isComplex ? 'deepObject' : 'form') : String(style),
    explode: explode === undefined ? style === undefined || style === 'form' : explode === true,
    isJson: style === undefined && usesJson,
    shape,
  }
}
