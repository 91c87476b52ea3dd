import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { once } from '../../base/core/memoize.ts'
import type { Violation } from '../../base/core/violation.ts'
import { toViolations } from '../../base/documents/violations.ts'
import { hideCredential } from '../../base/redaction/redact-document.ts'
import type { Compiler } from './compiler.ts'
import { bareMediaType, isJson } from './media-types.ts'
import { dereference, readExamples, resolve } from './resolve.ts'
import { applySimulatedValues } from './simulated-values.ts'

type CompiledResponse = NonNullable<ReturnType<typeof compileResponse>>

/**
 * Compiles the responses of the operation at `pointer`.
 * @param canCheck false if the responses need no validators; every body then passes `check`
 */
export function compileResponses(document: JsonObject, compiler: Compiler, pointer: string, canCheck: boolean) {
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
  return {
    statuses,
    /** The lowest 2xx; 200 for `2XX`. */
    successStatus: statuses.find((status) => status >= 200 && status < 300) ?? 200,
    find,
    /** Returns every violation of a response. `isSimulated`: the simulated values are demanded, too. */
    check(status: number, body: Json, isSimulated: boolean): Violation[] {
      const response = find(status)
      if (response === undefined) {
        const message = `the status ${status} is not documented; documented are ${[...byKey.keys()].join(', ')}`
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
    description: typeof description === 'string' ? description : '',
    mediaTypes: [...new Set(mediaTypes.map(bareMediaType))],
    examples: once(() => (media === undefined ? [] : readExamples(document, media))),
    schema,
    simulatedSchema: once(() => applySimulatedValues(schema() ?? {}, 'schema') ?? schema()),
    validate: described && compiler?.getValidator(described.pointer),
    validateSimulated: described && compiler?.getSimulatedValidator(described.pointer),
  }
}
