import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { once } from '../core/once.ts'
import type { Validator } from '../documents/ajv.ts'
import type { Violation } from '../documents/violation.ts'
import { toViolations } from '../documents/violations.ts'
import type { Compiler } from './compiler.ts'
import type { Example } from './contract.ts'
import { dereference } from './dereference.ts'
import { readExamples } from './examples.ts'
import { bareMediaType, isJson } from './media-types.ts'
import { resolve } from './resolve.ts'
import { applySimulatedValues } from './simulated-values.ts'

interface CompiledResponse {
  readonly description: string
  /** The documented media types, in lower case without parameters; none if the document describes no content. */
  readonly mediaTypes: readonly string[]
  readonly examples: () => readonly Example[]
  /** The schema of the JSON body, references resolved; undefined if the document describes none. */
  readonly schema: () => JsonObject | undefined
  /** The same schema with its simulated values, which the simulator's own bodies keep. */
  readonly simulatedSchema: () => JsonObject | undefined
  /** The validator of the JSON body; undefined if every body passes. */
  readonly validate: Validator | undefined
  /** The validator of the JSON body and of the simulated values in its schema; undefined if every body passes. */
  readonly validateSimulated: Validator | undefined
}

/**
 * Compiles the responses of the operation at `pointer`.
 * @param canCheck false if the responses need no validators; every body then passes `check`
 */
export function compileResponses(document: JsonObject, compiler: Compiler, pointer: string, canCheck: boolean) {
  const listPointer = joinPointer(pointer, 'responses')
  const byKey = new Map<string, CompiledResponse>()
  for (const key of Object.keys(resolve(document, listPointer)?.value ?? {})) {
    const response = compileResponse(document, canCheck ? compiler : undefined, joinPointer(listPointer, key))
    if (response !== undefined) byKey.set(key.toUpperCase(), response)
  }
  const statuses = [...byKey.keys()]
    .filter((key) => /^\d{3}$/.test(key))
    .map(Number)
    .sort((a, b) => a - b)
  // The response of that status, else of `4XX`, else `default`.
  const find = (status: number) =>
    byKey.get(String(status)) ?? byKey.get(`${Math.floor(status / 100)}XX`) ?? byKey.get('DEFAULT')
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
      return validate === undefined || validate(body) ? [] : toViolations(validate.errors, 'response')
    },
  }
}

function compileResponse(
  document: JsonObject,
  compiler: Compiler | undefined,
  pointer: string,
): CompiledResponse | undefined {
  const response = pointer.includes('/x-') ? undefined : resolve(document, pointer) // `x-...` is an extension
  if (response === undefined) return undefined
  const { content, description } = response.value
  const mediaTypes = Object.keys(isObject(content) ? content : {})
  const mediaType = mediaTypes.find(isJson)
  const media = mediaType === undefined ? undefined : joinPointer(response.pointer, 'content', mediaType)
  const schema = media === undefined ? undefined : resolve(document, joinPointer(media, 'schema'))
  const expanded = once(() => schema && dereference(document, schema.value))
  return {
    description: typeof description === 'string' ? description : '',
    mediaTypes: mediaTypes.map(bareMediaType),
    examples: once(() => (media === undefined ? [] : readExamples(document, media))),
    schema: expanded,
    simulatedSchema: once(() => applySimulatedValues(expanded() ?? {}, 'schema') ?? expanded()),
    validate: schema && compiler?.getValidator(schema.pointer),
    validateSimulated: schema && compiler?.getSimulatedValidator(schema.pointer),
  }
}
