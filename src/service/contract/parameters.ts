import { parse } from 'node:querystring'
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, parsePointer, valueAt } from '../../base/core/json-pointer.ts'
import { once } from '../../base/core/memoize.ts'
import type { ExchangePart, Violation } from '../../base/core/violation.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import { type HideSecret, toViolations } from '../../base/documents/violations.ts'
import { hideCredential } from '../../base/redaction/redact-document.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import { type Compiler, schemaRef } from './compiler.ts'
import type { DescribedParameter, RawParameters } from './contract.ts'
import { isJson } from './media-types.ts'
import { type Sent, Shape } from './request/shape.ts'
import { createFinder, type Fields, readSent, type Serialisation } from './request/styles.ts'
import { dereference, type ResolvedObject, resolve } from './resolve.ts'
import { listHiddenNames } from './security.ts'

const DEFAULT_STYLES = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const
type ParameterLocation = keyof typeof DEFAULT_STYLES
const LOCATIONS = Object.keys(DEFAULT_STYLES) as ParameterLocation[]

interface Parameter extends Serialisation {
  readonly required: boolean
  readonly pointer: string
  readonly schemaPointer: string
  /** True if an empty text is accepted whatever the schema says. */
  readonly allowsEmpty: boolean
}

/** The headers that OpenAPI excludes from parameters, because other parts of the document describe them. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization']

/**
 * Compiles the parameters of a path item and of an operation; those of the operation win. `described` has all but
 * cookies; `read` gives sent ones the types of their schemas, and its `values` are reliable only without violations.
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
  const groups = LOCATIONS.flatMap((location) => {
    const parameters = [...byName.values()].filter((parameter) => parameter.in === location)
    if (parameters.length === 0) return []
    const validate = compiler.getParameterValidator(describeGroup(document, parameters), operation)
    return [{ location, parameters, find: createFinder(parameters), validate, hide: hideIn(document, location) }]
  })
  return {
    described: groups.flatMap(({ parameters, find }) =>
      parameters.flatMap((one) => describe(document, one, (key) => find({ [key]: '' }).sent.has(one))),
    ),
    read(sent: RawParameters) {
      const values = { path: {}, query: {}, header: {} }
      const violations = groups.flatMap((group) => {
        const { location } = group
        if (location === 'cookie') return readGroup(group, 'header', '/cookie', readCookies(sent.header), {})
        return readGroup(group, location, '', sent[location], values[location])
      })
      return { values, violations }
    },
  }
}

/** Hides credentials of a location, also API keys under names of their own. A path is shown as it is sent. */
function hideIn(document: JsonObject, location: ParameterLocation): HideSecret | undefined {
  if (location === 'path') return undefined
  if (location === 'cookie') return () => redacted
  const keys = listHiddenNames(document)
  return (names, value) => (keys.includes((names[0] ?? '').toLowerCase()) ? redacted : hideCredential(names, value))
}

function readParameter(document: JsonObject, { pointer, value }: ResolvedObject): Parameter | undefined {
  const location = LOCATIONS.find((known) => known === value.in)
  if (location === undefined || typeof value.name !== 'string') return undefined
  const name = location === 'header' ? value.name.toLowerCase() : value.name
  if (location === 'header' && IGNORED_HEADERS.includes(name)) return undefined
  const mediaType = isObject(value.content) ? Object.keys(value.content)[0] : undefined
  const owner = mediaType === undefined ? pointer : joinPointer(pointer, 'content', mediaType)
  const schemaPointer = joinPointer(owner, 'schema')
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
    shape: new Shape(document, [resolve(document, schemaPointer)?.value ?? {}]),
    schemaPointer,
  }
}

function describe(document: JsonObject, parameter: Parameter, isPart: (key: string) => boolean): DescribedParameter[] {
  const { in: location, name, required, pointer, schemaPointer, style } = parameter
  if (location === 'cookie') return []
  const schema = dereference(document, resolve(document, schemaPointer)?.value ?? {})
  const hasMember = (key: string) => location === 'query' && isPart(key)
  return [{ in: location, name, required, pointer, isDeepObject: style === 'deepObject', schema, hasMember }]
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

interface Group {
  readonly find: ReturnType<typeof createFinder<Parameter>>
  readonly validate: Validator | undefined
  readonly hide: HideSecret | undefined
}

/** Reads the sent ones of parameters into `values`, and returns their violations. */
function readGroup(
  { find, validate, hide }: Group,
  part: ExchangePart,
  base: string,
  fields: Fields,
  values: JsonObject,
): Violation[] {
  const { sent } = find(fields)
  const violations: Violation[] = []
  const settled = new Set<string>() // parameters whose values need no check
  for (const [parameter, what] of sent) {
    const { name, allowsEmpty } = parameter
    const read = readSent(parameter, what)
    if (read.ok) values[name] = read.value
    if (read.ok && !(what === '' && allowsEmpty)) continue
    const pointer = base + joinPointer('', name)
    settled.add(pointer)
    if (!read.ok) violations.push({ in: part, pointer, ...read.error })
  }
  if (validate === undefined || validate(values) || readAgain(sent, values, validate)) return violations
  const others = toViolations(validate.errors, part, base, hide)
  return [...violations, ...others.filter(({ pointer }) => !settled.has(pointer))]
}

/** Reads wrong values again, as single ones or texts where their schemas allow both. Returns true if all fit then. */
function readAgain(sent: ReadonlyMap<Parameter, Sent>, values: JsonObject, validate: Validator): boolean {
  const wrong = new Set(validate.errors?.map(({ instancePath }) => parsePointer(instancePath)[0]))
  const others = [...sent].flatMap(([{ name, shape }, what]) => {
    if (!wrong.has(name) || typeof what !== 'string') return []
    const other = shape.types.has('array') ? shape.readText(what) : what
    return other !== values[name] && (typeof other !== 'string' || shape.takesText) ? [[name, other]] : []
  })
  Object.assign(values, Object.fromEntries(others))
  return others.length > 0 && validate(values)
}

/** Reads the cookies of a request, percent-decoded. */
export const readCookies = ({ cookie = '' }: RawParameters['header']): Fields =>
  // `parse` sets no member to undefined, and reads a plus sign as a space.
  parse(cookie.replaceAll('; ', ';').replaceAll('+', '%2B'), ';', '=', { maxKeys: 0 }) as Fields

/** Returns true for the name of a member of a parameter, sent as a parameter of its own: `filter[min]` of `filter`. */
export const isMemberOf = ({ hasMember }: DescribedParameter, sent: string): boolean => hasMember(sent)

/** Returns true for the name of a query parameter as it is sent, that of a member included. */
export const isParameterName = (parameters: readonly DescribedParameter[], sent: string): boolean =>
  parameters.some(({ hasMember }) => hasMember(sent))

/** Returns the function that reads a form of a media type, whose fields have the styles of its `encoding`. */
export function compileForm(document: JsonObject, media: string): (text: string) => JsonObject {
  const form = new Shape(document, [resolve(document, joinPointer(media, 'schema'))?.value ?? {}])
  const finder = once(() =>
    createFinder([...form.names].map((name) => readField(document, joinPointer(media, 'encoding', name), name, form))),
  )
  return (text) => {
    const fields = parse(text, '&', '=', { maxKeys: 0 }) as Fields // `parse` sets no member to undefined
    const { sent, unknown } = finder()(fields)
    const known = [...sent].map(([field, what]) => {
      const read = readSent(field, what)
      return [field.name, read.ok ? read.value : field.shape.read(what)]
    })
    const others = unknown.map((name) => [name, form.member(name).read(fields[name] ?? '')])
    return Object.fromEntries([...known, ...others])
  }
}

/** Reads how a field is written. Without a style an object is JSON, or has its members in brackets. */
function readField(document: JsonObject, pointer: string, name: string, form: Shape): Serialisation {
  const shape = form.member(name)
  const { style, explode, contentType } = resolve(document, pointer)?.value ?? {}
  const isComplex = shape.types.has('object') || shape.items.types.has('object')
  const isText = contentType === undefined ? isComplex : isJson(String(contentType))
  return {
    in: 'query',
    name,
    style: style === undefined ? (isComplex ? 'deepObject' : 'form') : String(style),
    explode: explode === undefined ? style === undefined || style === 'form' : explode === true,
    isJson: style === undefined && isText,
    shape,
  }
}
