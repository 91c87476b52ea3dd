import type { Assumption, Contract, Operation } from '../contract/contract.ts'
import { isJson } from '../contract/media-types.ts'
import { resolve } from '../contract/resolve.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { joinPointer, parsePointer } from '../core/json-pointer.ts'

/** A schema of the document, found from the place of a value in an answer. */
export interface SchemaPlace {
  /** JSON pointer where the schema stands: it may be a reference. */
  readonly site: string
  /** JSON pointer of the schema itself. */
  readonly pointer: string
  /** The object schema that describes the value as a property; undefined for the whole body and for items. */
  readonly owner: string | undefined
}

/** Returns the JSON pointer of an operation; undefined: the document has it no more. */
export function findOperation(document: JsonObject, { path, method }: Operation): string | undefined {
  const item = resolve(document, joinPointer('/paths', path))
  return item && resolve(document, joinPointer(item.pointer, method.toLowerCase()))?.pointer
}

/** The place of a documented response. */
export interface ResponsePlace {
  /** JSON pointer in the list of responses, which may be a reference. */
  readonly site: string
  readonly pointer: string
  readonly value: JsonObject
}

/** Finds the response of a status, of its class, or the default one, as the contract does. */
export function findResponse(
  document: JsonObject,
  operation: Operation,
  status: number,
): ResponsePlace | undefined {
  const pointer = findOperation(document, operation)
  if (pointer === undefined) return undefined
  const list = joinPointer(pointer, 'responses')
  const names = Object.keys(resolve(document, list)?.value ?? {})
  for (const key of [String(status), `${Math.floor(status / 100)}XX`, 'DEFAULT']) {
    const name = names.find((one) => one.toUpperCase() === key)
    const found = name === undefined ? undefined : resolve(document, joinPointer(list, name))
    if (found && name !== undefined) return { site: joinPointer(list, name), ...found }
  }
  return undefined
}

/** Returns the JSON pointer of the schema of a response's JSON body; undefined: it has none. */
export function findBodySchema({ pointer, value }: ResponsePlace): string | undefined {
  const content = isObject(value.content) ? value.content : {}
  const mediaType = Object.keys(content).find(isJson)
  const media = mediaType === undefined ? undefined : content[mediaType]
  return isObject(media) && mediaType !== undefined && isObject(media.schema)
    ? joinPointer(pointer, 'content', mediaType, 'schema')
    : undefined
}

/** Finds the schema of a value by its pointer in the body, in which `*` stands for each item of an array. */
export function findSchema(
  document: JsonObject,
  operation: Operation,
  status: number,
  pointer: string,
): SchemaPlace | undefined {
  const response = findResponse(document, operation, status)
  const root = response && findBodySchema(response)
  if (root === undefined) return undefined
  let site: string | undefined = root
  let owner: string | undefined
  for (const token of parsePointer(pointer)) {
    const child: FoundChild | undefined = findChild(document, site, token)
    if (!child) return undefined
    site = child.site
    owner = token === '*' ? undefined : child.owner
  }
  const found = resolve(document, site)
  return found && { site, pointer: found.pointer, owner }
}

interface FoundChild {
  readonly site: string
  readonly owner: string
}

/** Finds the schema of a member or of the items, also in the parts of a composed schema. */
function findChild(document: JsonObject, site: string, token: string): FoundChild | undefined {
  const found = resolve(document, site)
  if (!found) return undefined
  const { pointer, value } = found
  if (token === '*' && isObject(value.items)) return { site: joinPointer(pointer, 'items'), owner: pointer }
  const { properties } = value
  if (isObject(properties) && isObject(properties[token]))
    return { site: joinPointer(pointer, 'properties', token), owner: pointer }
  for (const part of listParts(document, pointer)) {
    const child = findChild(document, part, token)
    if (child) return child
  }
  return undefined
}

/** Returns the JSON pointers of the parts that a schema is composed of. */
export function listParts(document: JsonObject, pointer: string): string[] {
  const schema = resolve(document, pointer)?.value ?? {}
  return ['allOf', 'anyOf', 'oneOf'].flatMap((name) => {
    const parts = schema[name]
    return Array.isArray(parts) ? parts.map((_, index) => joinPointer(pointer, name, index)) : []
  })
}

/** Finds the assumption that stands at one of some places, the first of which counts most. */
export function findAssumption(
  { assumptions }: Contract,
  pointers: readonly (string | undefined)[],
): Assumption | undefined {
  for (const pointer of pointers) {
    const found = assumptions.find((one) => one.pointer === pointer)
    if (found) return found
  }
  return undefined
}
