import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import { once } from '../../base/core/memoize.ts'
import type { Violation } from '../../base/core/violation.ts'
import { toViolations } from '../../base/documents/violations.ts'
import { hideCredential } from '../../base/redaction/redact-document.ts'
import { type Compiler, schemaRef } from './compiler.ts'
import type { Operation } from './contract.ts'
import { bareMediaType, isCheckedText, isForm, isJson, matchMediaType } from './media-types.ts'
import { compileForm, compileParameters } from './parameters.ts'
import { Shape } from './request/shape.ts'
import { dereference, readExamples, resolve } from './resolve.ts'
import { listKeys, readSecurity } from './security.ts'
import { readBasePath } from './servers.ts'
import { applySimulatedValues } from './simulated-values.ts'
import { METHODS } from './walk.ts'

/**
 * Compiles every operation under `paths`, in the document's order. A lazy compiler compiles an operation when it is
 * first used: most operations of the control plane never are. Unless `canCheckResponses`, every response is valid.
 */
export function compileOperations(document: JsonObject, compiler: Compiler, canCheckResponses: boolean): Operation[] {
  const taken = new Set<string>()
  return listOperations(document).map(({ path, method, item }) => {
    const id = valueAt(document, joinPointer(item, method, 'operationId'))
    const name = typeof id === 'string' && !taken.has(id) ? id : `${method.toUpperCase()} ${path}`
    taken.add(name)
    return compileOperation(document, compiler, { id: name, path, method, item, canCheckResponses })
  })
}

/** Lists the operations under `paths`, each with the pointer of its path item, which a path can refer to. */
export function listOperations(document: JsonObject) {
  const paths = isObject(document.paths) ? Object.keys(document.paths) : []
  return paths.flatMap((path) => {
    const item = resolve(document, joinPointer('/paths', path))
    if (item === undefined || !path.startsWith('/')) return []
    const methods = METHODS.filter((method) => isObject(item.value[method]))
    return methods.map((method) => ({ path, method, item: item.pointer }))
  })
}

/** The keyword of an operation that chooses its statuses: `x-simulated-status: { success: 204, dropped: 202 }`. */
export const simulatedStatus = 'x-simulated-status'

function compileOperation(
  document: JsonObject,
  compiler: Compiler,
  at: { id: string; path: string; method: string; item: string; canCheckResponses: boolean },
): Operation {
  const pointer = joinPointer(at.item, at.method)
  const operation = resolve(document, pointer)?.value ?? {}
  const method = at.method.toUpperCase()
  const responses = once(() => compileResponses(document, compiler, pointer, at.canCheckResponses))
  const body = once(() => compileBody(document, compiler, pointer))
  const parameters = once(() => compileParameters(document, compiler, at.item, pointer))
  const chosen = (operation[simulatedStatus] ?? {}) as { success?: number; dropped?: number } // checked at the start
  if (!compiler.lazy) for (const compile of [responses, body, parameters]) compile()
  return {
    id: at.id,
    method,
    path: at.path,
    basePath: readBasePath(operation.servers, resolve(document, at.item)?.value.servers, document.servers),
    pointer,
    summary: typeof operation.summary === 'string' ? operation.summary : '',
    security: readSecurity(document, operation.security ?? document.security),
    queryKeys: listKeys(document, ['query']),
    get successStatus() {
      return chosen.success ?? responses().successStatus
    },
    get droppedStatus() {
      return chosen.dropped ?? chosen.success ?? responses().successStatus
    },
    get statuses() {
      return responses().statuses
    },
    get responses() {
      return responses().keys
    },
    get body() {
      return body()?.described
    },
    get parameters() {
      return parameters().described
    },
    bodySchema: () => body()?.schema(),
    bodyExamples: () => body()?.examples() ?? [],
    readParameters: (sent) => parameters().read(sent),
    readText: (mediaType, text) => body()?.readText(mediaType, text) ?? text,
    checkBody: (mediaType, value) => body()?.check(mediaType, value) ?? [],
    checkResponse: (status, value) => responses().check(status, value, false),
    checkSimulatedResponse: (status, value) => responses().check(status, value, true),
    examples: (status) => responses().find(status)?.examples() ?? [],
    hasResponseBody: (status) => (responses().find(status)?.mediaTypes.length ?? 0) > 0,
    responseMediaTypes: (status) => responses().find(status)?.mediaTypes ?? [],
    responsePointer: (status) => responses().find(status)?.pointer,
    responseDescription: (status) => responses().find(status)?.description,
    responseSchema: (status) => responses().find(status)?.schema(),
    simulatedResponseSchema: (status) => responses().find(status)?.simulatedSchema(),
  }
}

function compileBody(document: JsonObject, compiler: Compiler, operation: string) {
  const body = resolve(document, joinPointer(operation, 'requestBody'))
  if (body === undefined) return undefined
  const documentedTypes = isObject(body.value.content) ? Object.keys(body.value.content) : []
  const mediaPointer = (mediaType: string) => joinPointer(body.pointer, 'content', mediaType)
  const contents = new Map(
    documentedTypes.map((type) => [bareMediaType(type), compileContent(document, compiler, type, mediaPointer(type))]),
  )
  const mediaTypes = [...contents.keys()]
  const find = (mediaType: string) => contents.get(matchMediaType(mediaTypes, mediaType) ?? '')
  const json = documentedTypes.find(isJson)
  return {
    described: { required: body.value.required === true, mediaTypes },
    schema: once(() => {
      const schema = json === undefined ? undefined : resolve(document, joinPointer(mediaPointer(json), 'schema'))
      return schema && dereference(document, schema.value)
    }),
    examples: () => (json === undefined ? [] : readExamples(document, mediaPointer(json))),
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

/** Compiles the content of a body of a media type. */
function compileContent(document: JsonObject, compiler: Compiler, mediaType: string, media: string) {
  const schema = resolve(document, joinPointer(media, 'schema'))
  if (schema === undefined) return {}
  const shape = new Shape(document, [schema.value])
  const isText = isCheckedText(mediaType, shape)
  const validate = compiler.getValidator(schema.pointer) // also where it is not used, for the findings on the schema
  if (!isForm(mediaType) || !shape.types.has('object')) return { isText, validate }
  const validateForm = compiler.getParameterValidator({ $ref: schemaRef(schema.pointer) }, schema.pointer)
  return { isText, validate: validateForm, readForm: compileForm(document, media) }
}

const isSuccess = (status: number) => status >= 200 && status < 300

type CompiledResponse = NonNullable<ReturnType<typeof compileResponse>>

/** Compiles the responses of the operation at `pointer`; unless `canCheck`, without validators. */
function compileResponses(document: JsonObject, compiler: Compiler, pointer: string, canCheck: boolean) {
  const listPointer = joinPointer(pointer, 'responses')
  const byKey = new Map<string, CompiledResponse>()
  for (const key of Object.keys(resolve(document, listPointer)?.value ?? {})) {
    if (key.startsWith('x-')) continue // an extension
    const response = compileResponse(document, canCheck ? compiler : undefined, joinPointer(listPointer, key))
    if (response !== undefined) byKey.set(key.toUpperCase(), response)
  }
  // The response of that status, else of `4XX`, else `default`.
  const find = (status: number) =>
    byKey.get(String(status)) ?? byKey.get(`${Math.floor(status / 100)}XX`) ?? byKey.get('DEFAULT')
  const numbers = [...byKey.keys()].filter((key) => /^\d{3}$/.test(key)).map(Number)
  const statuses = numbers.sort((a, b) => a - b)
  const keys = [...byKey.keys()].map((key) => key.replace('DEFAULT', 'default'))
  return {
    statuses,
    successStatus: statuses.find(isSuccess) ?? (byKey.has('2XX') || byKey.has('DEFAULT') ? 200 : (statuses[0] ?? 200)),
    keys,
    find,
    /** Returns every violation of a response. `isSimulated`: the simulated values are demanded, too. */
    check(status: number, body: Json, isSimulated: boolean): Violation[] {
      const response = find(status)
      if (byKey.size === 0) return []
      if (response === undefined) {
        const message = `the status ${status} is not documented; documented are ${keys.join(', ')}`
        return [{ in: 'response', pointer: '', keyword: 'status', message }]
      }
      const validate = isSimulated ? response.validateSimulated : response.validate
      if (validate === undefined || validate(body)) return []
      return toViolations(validate.errors, 'response', '', hideCredential)
    },
  }
}

/** Compiles a response, of whose content the JSON is checked. Without a compiler it has no validators. */
function compileResponse(document: JsonObject, compiler: Compiler | undefined, pointer: string) {
  const response = resolve(document, pointer)
  if (response === undefined) return undefined
  const { content, description } = response.value
  const mediaTypes = Object.keys(isObject(content) ? content : {})
  const mediaType = mediaTypes.find(isJson)
  const media = mediaType === undefined ? undefined : joinPointer(response.pointer, 'content', mediaType)
  const described = media === undefined ? undefined : resolve(document, joinPointer(media, 'schema'))
  const schema = once(() => described && dereference(document, described.value))
  return {
    pointer: response.pointer,
    description: typeof description === 'string' ? description : '',
    mediaTypes: [...new Set(mediaTypes.map(bareMediaType))],
    examples: once(() => (media === undefined ? [] : readExamples(document, media))),
    schema,
    simulatedSchema: once(() => applySimulatedValues(schema() ?? {}, 'schema') ?? schema()),
    validate: described && compiler?.getResponseValidator(described.pointer),
    validateSimulated: described && compiler?.getSimulatedValidator(described.pointer),
  }
}
