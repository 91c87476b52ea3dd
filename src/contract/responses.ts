import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import type { Validator } from '../documents/ajv.ts'
import type { Violation } from '../documents/violation.ts'
import { toViolations } from '../documents/violations.ts'
import type { Compiler } from './compiler.ts'
import type { Example } from './contract.ts'
import { dereference, once } from './dereference.ts'
import { readExamples } from './examples.ts'
import { isJson } from './media-types.ts'
import { resolve } from './resolve.ts'

/** One documented response, compiled. */
export interface Response {
  readonly description: string
  readonly examples: () => readonly Example[]
  /** Of the JSON body, references resolved; undefined where none is described. */
  readonly schema: () => JsonObject | undefined
  readonly validate: Validator | undefined
}

/** The documented responses of an operation. */
export interface Responses {
  /** The numbers among the documented statuses, ascending. */
  readonly statuses: readonly number[]
  /** The lowest 2xx; 200 for `2XX`. */
  readonly success: number
  /** What covers a status: itself, else `4XX`, else `default`. */
  find(status: number): Response | undefined
  /** Every violation of an answer. */
  check(status: number, body: Json): Violation[]
}

/** Compiles what stands under `responses` of the operation at `pointer`; unless `checked`, `check` lets every body pass. */
export function compileResponses(
  document: JsonObject,
  compiler: Compiler,
  pointer: string,
  checked: boolean,
): Responses {
  const place = joinPointer(pointer, 'responses')
  const byKey = new Map<string, Response>()
  for (const key of Object.keys(resolve(document, place)?.value ?? {})) {
    const response = compileResponse(document, checked ? compiler : undefined, joinPointer(place, key))
    if (response !== undefined) byKey.set(key.toUpperCase(), response)
  }
  const statuses = [...byKey.keys()]
    .filter((key) => /^\d{3}$/.test(key))
    .map(Number)
    .sort((a, b) => a - b)
  const find = (status: number) =>
    byKey.get(String(status)) ?? byKey.get(`${Math.floor(status / 100)}XX`) ?? byKey.get('DEFAULT')
  return {
    statuses,
    success: statuses.find((status) => status >= 200 && status < 300) ?? 200,
    find,
    check(status, body) {
      const response = find(status)
      if (response === undefined) {
        const message = `the status ${status} is not documented; documented are ${[...byKey.keys()].join(', ')}`
        return [{ in: 'response', pointer: '', keyword: 'status', message }]
      }
      const { validate } = response
      return validate === undefined || validate(body) ? [] : toViolations(validate.errors, 'response')
    },
  }
}

function compileResponse(
  document: JsonObject,
  compiler: Compiler | undefined,
  pointer: string,
): Response | undefined {
  const response = pointer.includes('/x-') ? undefined : resolve(document, pointer)
  if (response === undefined) return undefined
  const { content, description } = response.value
  const mediaType = isObject(content) ? Object.keys(content).find(isJson) : undefined
  const media = mediaType === undefined ? undefined : joinPointer(response.pointer, 'content', mediaType)
  const schema = media === undefined ? undefined : resolve(document, joinPointer(media, 'schema'))
  return {
    description: typeof description === 'string' ? description : '',
    examples: once(() => (media === undefined ? [] : readExamples(document, media))),
    schema: once(() => schema && dereference(document, schema.value)),
    validate: schema && compiler?.at(schema.pointer),
  }
}
