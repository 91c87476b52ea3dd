/** `service/responses/`: creates responses from examples and schemas, for operations without a handler. */
import { isObject, type Json, type JsonObject, parseJson } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { once } from '../../base/core/memoize.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { isJson, matchMediaType } from '../contract/media-types.ts'
import { readExamples, resolve } from '../contract/resolve.ts'
import { concreteType, schemaFor, toSimpleStyle, toText } from './content.ts'
import { generateWithPrism } from './prism.ts'
import { createValueMaker, type MakeValue } from './tools.ts'

interface FallbackRequest {
  readonly operation: Operation
  /** The status to send: documented on its own, in a range (`4XX`), or as `default`. @default the success status */
  readonly status?: number | undefined
  readonly accept?: string | undefined
}

interface FallbackReply {
  readonly status: number
  /** Headers by lower-case name, without `content-type`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: FallbackBody | undefined
}

interface FallbackBody {
  /** A string, unless the media type is JSON. */
  readonly value: Json
  readonly mediaType: string
}

/** Returns the documented response: an example or else a deterministic body that might not match the schema. */
export type Fallback = (request: FallbackRequest) => Promise<FallbackReply>

/** Creates the fallback for a document. Each reply is created when it is first requested, and then reused. */
export function createFallback({ document }: Pick<Contract, 'document'>): Fallback {
  const makeValue = once(() => createValueMaker(document))
  const replies = new Map<string, Promise<FallbackReply>>()
  return ({ operation, status = operation.successStatus, accept = '*/*' }) => {
    const response = operation.responsePointer(status) ?? ''
    const hasBody = operation.method !== 'HEAD' && ![204, 205, 304].includes(status)
    const mediaType = hasBody ? chooseType(document, response, accept) : undefined
    const key = JSON.stringify([operation.pointer, status, mediaType])
    const create = async (make: Promise<MakeValue>) => ({
      status,
      headers: await makeHeaders(document, response, await make),
      body: mediaType === undefined ? undefined : await makeBody(document, operation, status, mediaType, await make),
    })
    const reply = replies.get(key) ?? create(makeValue())
    replies.set(key, reply)
    return reply
  }
}

/** Returns the type that `Accept` prefers, or else the first in this order: JSON, types with examples, all others. */
function chooseType(document: JsonObject, response: string, accept: string): string | undefined {
  const all = Object.keys(resolve(document, joinPointer(response, 'content'))?.value ?? {})
  const json = all.find(isJson)
  const schemaOf = (type = '') =>
    JSON.stringify(resolve(document, joinPointer(response, 'content', type))?.value.schema)
  const isChecked = (type: string) => schemaOf(type) === schemaOf(json) // the schema that responses are checked against
  const hasExample = (type: string) => readExamples(document, joinPointer(response, 'content', type)).length > 0
  const rank = (type: string) => (type === json ? 0 : hasExample(type) ? 1 : 2)
  const offered = all.filter((type) => !isJson(type) || isChecked(type)).sort((a, b) => rank(a) - rank(b))
  const weight = (range: string) => Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1)
  const ranges = accept.split(',').filter((range) => weight(range) > 0)
  const accepted = ranges
    .sort((a, b) => weight(b) - weight(a))
    .flatMap((range) => offered.find((type) => matchMediaType([range], concreteType(type)) !== undefined) ?? [])
  return accepted[0] ?? offered[0]
}

async function makeHeaders(document: JsonObject, response: string, make: MakeValue): Promise<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const name of Object.keys(resolve(document, joinPointer(response, 'headers'))?.value ?? {})) {
    const value = await makeHeader(document, joinPointer(response, 'headers', name), make)
    if (value !== undefined && name.toLowerCase() !== 'content-type') headers[name.toLowerCase()] = value
  }
  return headers
}

async function makeHeader(document: JsonObject, pointer: string, make: MakeValue): Promise<string | undefined> {
  const { content, explode } = resolve(document, pointer)?.value ?? {}
  const [type] = Object.keys(isObject(content) ? content : {})
  const at = type === undefined ? pointer : joinPointer(resolve(document, pointer)?.pointer ?? '', 'content', type)
  const example = readExamples(document, at)[0]
  const value = example ? example.value : await make(resolve(document, at)?.value.schema ?? false)
  if (value === undefined || value === null) return undefined
  return type === undefined ? toSimpleStyle(value, explode === true) : toText(document, type, value)
}

async function makeBody(
  document: JsonObject,
  operation: Operation,
  status: number,
  documentedType: string,
  make: MakeValue,
): Promise<FallbackBody> {
  const mediaType = concreteType(documentedType)
  const at = joinPointer(operation.responsePointer(status) ?? '', 'content', documentedType)
  const { itemSchema, schema = itemSchema } = resolve(document, at)?.value ?? {}
  const example = readExamples(document, at)[0]
  if (isJson(mediaType)) {
    const countErrors = (value: Json) => operation.checkResponse(status, value).length
    if (example) return { value: parseExample(example.value, countErrors), mediaType }
    return { value: (await makeJson(document, schema ?? false, make, countErrors)) ?? null, mediaType }
  }
  const value = example ? example.value : await make(schemaFor(mediaType, schema) ?? false)
  return { value: value === undefined ? '' : toText(document, mediaType, value, schema), mediaType }
}

/** Returns an example. JSON in a string, which is common in Swagger 2.0, is parsed unless that adds errors. */
function parseExample(example: Json, countErrors: (value: Json) => number): Json {
  const parsed = typeof example === 'string' ? parseJson(example) : undefined
  if (typeof parsed !== 'object' || parsed === null) return example
  return countErrors(parsed) <= countErrors(example) ? parsed : example
}

/** Returns the value with fewer errors: the simulator's own, or Prism's. In a tie, the simulator's own wins. */
async function makeJson(document: JsonObject, schema: Json, make: MakeValue, countErrors: (value: Json) => number) {
  const generated = await make(schema, countErrors)
  if (generated !== undefined && countErrors(generated) === 0) return generated
  const fromPrism = await generateWithPrism(document, schema)
  if (generated === undefined || fromPrism === undefined) return generated ?? fromPrism
  return countErrors(fromPrism) < countErrors(generated) ? fromPrism : generated
}
