import { isObject, type Json, type JsonObject, type Violation } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import { once } from '../../base/core/memoize.ts'
import { toViolations } from '../../base/documents/violations.ts'
import { hideCredential } from '../../base/redaction/redact-document.ts'
import type { Compiler } from './compiler.ts'
import { bareMediaType, isCheckedText, isForm, isJson, matchMediaType } from './media-types.ts'
import {
  compileForm,
  compileParameters,
  type DescribedParameter,
  type ParameterValues,
  type RawParameters,
} from './parameters.ts'
import { Shape } from './request/shape.ts'
import { dereference, type Example, type ResolvedObject, readExamples, resolve, resolveSchema } from './resolve.ts'
import { listApiKeyNames, readSecurity } from './security.ts'
import { readBasePath } from './servers.ts'
import { applySimulatedValues } from './simulated-values.ts'
import { METHODS } from './walk.ts'

/** Compiles the document's operations. If `canCheckResponses` is false, all response bodies pass. */
export function compileOperations(document: JsonObject, compiler: Compiler, canCheckResponses: boolean): Operation[] {
  const taken = new Set<string>()
  return listOperations(document).flatMap(({ path, method, item }) => {
    const request = `${method} ${anonymousPath(path)}`
    if (taken.has(request)) return [] // an earlier operation matches the same requests
    const id = valueAt(document, joinPointer(item, method, 'operationId'))
    const name = typeof id === 'string' && !taken.has(id) ? id : `${method.toUpperCase()} ${path}`
    taken.add(request).add(name)
    return [compileOperation(document, compiler, { id: name, path, method, item, canCheckResponses })]
  })
}

const PARAMETER = /\{([^{}]*)\}/g

export const parameterNames = (path: string) => Array.from(path.matchAll(PARAMETER), ([, name = '']) => name)

/** Returns a path template without its parameter names, which do not affect matching. */
export const anonymousPath = (path: string): string => path.replace(PARAMETER, '{}')

/** Lists the operations at valid paths, each with the pointer to its path item after references are followed. */
export function listOperations(document: JsonObject) {
  const paths = isObject(document.paths) ? Object.keys(document.paths) : []
  return paths.flatMap((path) => {
    const item = resolve(document, joinPointer('/paths', path))
    if (item === undefined || !path.startsWith('/') || /[?#]/.test(path)) return []
    const methods = METHODS.filter((method) => isObject(item.value[method]))
    return methods.map((method) => ({ path, method, item: item.pointer }))
  })
}

/** The extension for an operation's simulated statuses: `x-simulated-status: { success: 204, dropped: 202 }`. */
export const simulatedStatus = 'x-simulated-status'

export type Operation = Readonly<ReturnType<typeof compileOperation>>

function compileOperation(
  document: JsonObject,
  compiler: Compiler,
  at: { id: string; path: string; method: string; item: string; canCheckResponses: boolean },
) {
  const pointer = joinPointer(at.item, at.method)
  const operation = resolve(document, pointer)?.value ?? {}
  const responses = once(() => compileResponses(document, compiler, pointer, at.canCheckResponses))
  const body = once(() => compileBody(document, compiler, pointer))
  const parameters = once(() => compileParameters(document, compiler, at.item, pointer))
  const simulated = (operation[simulatedStatus] ?? {}) as { success?: number; dropped?: number } // checked at startup
  if (!compiler.lazy) for (const compile of [responses, body, parameters]) compile()
  return {
    id: at.id,
    method: at.method.toUpperCase(),
    path: at.path,
    /** The base path from the servers of the operation, or else of its path item, or else of the document. */
    basePath: readBasePath(operation.servers, resolve(document, at.item)?.value.servers, document.servers),
    pointer,
    summary: typeof operation.summary === 'string' ? operation.summary : '',
    security: readSecurity(document, operation.security ?? document.security),
    queryApiKeys: listApiKeyNames(document, ['query']),
    /**
     * `x-simulated-status.success`, or else the lowest documented 2xx. Without either, 200 if `2XX` or `default` is
     * documented, or else the lowest documented status of 200 or above, or 200 if there is none.
     */
    get successStatus(): number {
      return simulated.success ?? responses().successStatus
    },
    /** The status for an event dropped by sampling: `x-simulated-status.dropped`, or else the success status. */
    get droppedStatus(): number {
      return simulated.dropped ?? simulated.success ?? responses().successStatus
    },
    /** The documented statuses that are numbers, in ascending order. */
    get statuses(): readonly number[] {
      return responses().statuses
    },
    /** The keys of the documented responses, such as `200`, `4XX` and `default`. Numbers come first. */
    get responses(): readonly string[] {
      return responses().keys
    },
    get body(): { readonly required: boolean; readonly mediaTypes: readonly string[] } | undefined {
      return body()?.described
    },
    /** Path, query and header parameters, in that order. In each group, the path item's parameters come first. */
    get parameters(): readonly DescribedParameter[] {
      return parameters().described
    },
    /** Returns the schema of the JSON request body, after `dereference`; undefined if there is none. */
    bodySchema: (): JsonObject | undefined => body()?.schema(),
    bodyExamples: (): readonly Example[] => body()?.examples() ?? [],
    /** Coerces the sent parameters to their types. `values` is valid if `violations` is empty. */
    readParameters: (sent: RawParameters): { values: ParameterValues; violations: Violation[] } =>
      parameters().read(sent),
    /** Returns the value of a non-JSON body: an object for a form with an object schema, or else the text itself. */
    readText: (mediaType: string, text: string): Json => body()?.readText(mediaType, text) ?? text,
    /** Returns a body's violations. Checks only the media type unless the body is JSON or passes `isCheckedText`. */
    checkBody: (mediaType: string, value: Json): Violation[] => body()?.check(mediaType, value) ?? [],
    ...describeResponses(responses),
  }
}

const describeResponses = (responses: () => ReturnType<typeof compileResponses>) => ({
  /** Returns a response's violations. An undocumented status is a violation if any responses are documented. */
  checkResponse: (status: number, value: Json) => responses().check(status, value, false),
  /** Returns the violations in a simulated response, which must also follow `x-simulated-values`. */
  checkSimulatedResponse: (status: number, value: Json) => responses().check(status, value, true),
  examples: (status: number): readonly Example[] => responses().find(status)?.examples() ?? [],
  hasResponseBody: (status: number) => (responses().find(status)?.mediaTypes.length ?? 0) > 0,
  /** Returns the media types documented for a status, in document order, in lower case and without parameters. */
  responseMediaTypes: (status: number): readonly string[] => responses().find(status)?.mediaTypes ?? [],
  /** Returns the pointer to the response for a status, or else for its range (`4XX`) or `default`, if any. */
  responsePointer: (status: number) => responses().find(status)?.pointer,
  responseDescription: (status: number) => responses().find(status)?.description,
  /** Returns the schema of the JSON body for a status, after `dereference`; undefined if there is none. */
  responseSchema: (status: number) => responses().find(status)?.schema(),
  /** Returns the schema from `responseSchema` with the narrower rules in `x-simulated-values` applied. */
  simulatedResponseSchema: (status: number) => responses().find(status)?.simulatedSchema(),
})

/** Reads the content of a request body or response: its media types, and the first JSON type's schema and examples. */
function readContent(document: JsonObject, { pointer, value: { content } }: ResolvedObject) {
  const documented = Object.keys(isObject(content) ? content : {})
  const json = documented.find(isJson)
  const media = joinPointer(pointer, 'content', json ?? '')
  const resolvedSchema = resolveSchema(document, joinPointer(media, 'schema'))
  return {
    documented,
    mediaTypes: [...new Set(documented.map(bareMediaType))],
    resolvedSchema,
    schema: once(() => resolvedSchema && dereference(document, resolvedSchema.value)),
    examples: once(() => (json === undefined ? [] : readExamples(document, media))),
  }
}

function compileBody(document: JsonObject, compiler: Compiler, operation: string) {
  const body = resolve(document, joinPointer(operation, 'requestBody'))
  if (body === undefined) return undefined
  const { documented, mediaTypes, schema, examples } = readContent(document, body)
  const compile = (type: string) => compileContent(document, compiler, type, joinPointer(body.pointer, 'content', type))
  const contents = new Map(documented.map((type) => [bareMediaType(type), compile(type)]))
  const find = (mediaType: string) => contents.get(matchMediaType(mediaTypes, mediaType) ?? '')
  return {
    described: { required: body.value.required === true, mediaTypes },
    schema,
    examples,
    readText: (mediaType: string, text: string): Json => find(mediaType)?.readForm?.(text) ?? text,
    check(mediaType: string, value: Json): Violation[] {
      const content = find(mediaType)
      if (content === undefined && mediaTypes.length > 0) {
        const message = `must be sent as ${mediaTypes.join(' or ')}; got ${mediaType || 'no content type'}`
        return [{ in: 'body', pointer: '', keyword: 'media-type', message }]
      }
      const { validate } = content?.isText || isJson(mediaType) ? (content ?? {}) : {}
      return validate === undefined || validate(value) ? [] : toViolations(validate.errors, 'body', '', hideCredential)
    },
  }
}

function compileContent(document: JsonObject, compiler: Compiler, mediaType: string, media: string) {
  const schema = resolveSchema(document, joinPointer(media, 'schema'))
  if (schema === undefined) return {}
  const shape = new Shape(document, [schema.value])
  const isText = isCheckedText(mediaType, shape)
  const validate = compiler.getValidator(schema.pointer, 'request') // compiled even if unused, to report flaws
  const readForm = isForm(mediaType) && shape.types.has('object') ? compileForm(document, media) : undefined
  return { isText, validate, readForm }
}

const isSuccess = (status: number) => status >= 200 && status < 300

/** Compiles the responses of the operation at `pointer`, with validators only if `canCheck` is true. */
function compileResponses(document: JsonObject, compiler: Compiler, pointer: string, canCheck: boolean) {
  const listPointer = joinPointer(pointer, 'responses')
  const byKey = new Map<string, NonNullable<ReturnType<typeof compileResponse>>>()
  for (const key of Object.keys(resolve(document, listPointer)?.value ?? {})) {
    if (key.startsWith('x-')) continue // an extension
    const response = compileResponse(document, canCheck ? compiler : undefined, joinPointer(listPointer, key))
    if (response !== undefined) byKey.set(key.toUpperCase(), response)
  }
  const find = (status: number) =>
    byKey.get(String(status)) ?? byKey.get(`${Math.floor(status / 100)}XX`) ?? byKey.get('DEFAULT')
  const numbers = [...byKey.keys()].filter((key) => /^\d{3}$/.test(key)).map(Number)
  const statuses = numbers.sort((a, b) => a - b)
  const lowest = statuses.find((status) => status >= 200) ?? 200
  const keys = [...byKey.keys()].map((key) => key.replace('DEFAULT', 'default'))
  return {
    statuses,
    successStatus: statuses.find(isSuccess) ?? (byKey.has('2XX') || byKey.has('DEFAULT') ? 200 : lowest),
    keys,
    find,
    /** Returns the violations in a response, which must also follow `x-simulated-values` if `isSimulated` is true. */
    check(status: number, body: Json, isSimulated: boolean): Violation[] {
      const response = find(status)
      if (byKey.size === 0) return []
      if (response === undefined) {
        const message = `has the undocumented status ${status}; documented: ${keys.join(', ')}`
        return [{ in: 'response', pointer: '', keyword: 'status', message }]
      }
      const validate = isSimulated ? response.validateSimulated : response.validate
      if (validate === undefined || validate(body)) return []
      return toViolations(validate.errors, 'response', '', hideCredential)
    },
  }
}

/** Compiles a response with validators for its JSON content, or without validators if `compiler` is undefined. */
function compileResponse(document: JsonObject, compiler: Compiler | undefined, pointer: string) {
  const response = resolve(document, pointer)
  if (response === undefined) return undefined
  const { description } = response.value
  const { resolvedSchema, schema, ...content } = readContent(document, response)
  return {
    ...content,
    pointer: response.pointer,
    description: typeof description === 'string' ? description : '',
    schema,
    simulatedSchema: once(() => resolvedSchema && applySimulatedValues(schema() ?? {}, 'schema')),
    validate: resolvedSchema && compiler?.getValidator(resolvedSchema.pointer, 'response'),
    validateSimulated: resolvedSchema && compiler?.getValidator(resolvedSchema.pointer, 'simulated'),
  }
}
