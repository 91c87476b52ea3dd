import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer, parsePointer } from '../../../base/core/json-pointer.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { isJson } from '../../../service/contract/media-types.ts'
import { type ResolvedObject, resolve } from '../../../service/contract/resolve.ts'

/** Returns the pointer of the enclosing object or array; empty for the root. */
export const parentOf = (pointer: string) => pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))

export const nameOf = (pointer: string) => parsePointer(pointer).at(-1) ?? ''

/** An object in the document. `site` is the JSON Pointer of the object or of a reference to it. */
export interface DocumentPlace extends ResolvedObject {
  readonly site: string
}

function findDocumentPlace(document: JsonObject, site: string): DocumentPlace | undefined {
  const found = resolve(document, site)
  return found && { site, ...found }
}

/** Finds the documented response for a status, or else for its range (`4XX`), or else the default response. */
export function findResponse(document: JsonObject, operation: Operation, status: number): DocumentPlace | undefined {
  const list = joinPointer(operation.pointer, 'responses')
  const names = Object.keys(resolve(document, list)?.value ?? {})
  const keys = [String(status), `${Math.floor(status / 100)}XX`, 'DEFAULT']
  const found = keys.flatMap((key) => names.find((name) => name.toUpperCase() === key) ?? [])
  return found.flatMap((name) => findDocumentPlace(document, joinPointer(list, name)) ?? [])[0]
}

export function findHeaders(document: JsonObject, operation: Operation, status: number) {
  const response = findResponse(document, operation, status)
  const names = isObject(response?.value.headers) ? Object.keys(response.value.headers) : []
  return names.flatMap((name) => {
    const found = response && resolve(document, joinPointer(response.pointer, 'headers', name))
    if (!found || name.toLowerCase() === 'content-type') return []
    const schema = resolve(document, joinPointer(found.pointer, 'schema'))?.value ?? {}
    return { name: name.toLowerCase(), pointer: found.pointer, required: found.value.required === true, schema }
  })
}

export function findJsonMedia({ pointer, value }: ResolvedObject): ResolvedObject | undefined {
  const content = isObject(value.content) ? value.content : {}
  const [mediaType = '', media] = Object.entries(content).find(([name]) => isJson(name)) ?? []
  return isObject(media) ? { pointer: joinPointer(pointer, 'content', mediaType), value: media } : undefined
}

/** Finds the schema of a value by its pointer into the body. A `*` in the pointer stands for any array item. */
export function findSchema(
  document: JsonObject,
  operation: Operation,
  status: number,
  pointer: string,
): DocumentPlace | undefined {
  const response = findResponse(document, operation, status)
  const media = response && findJsonMedia(response)
  let site = media && isObject(media.value.schema) ? joinPointer(media.pointer, 'schema') : undefined
  for (const token of parsePointer(pointer)) site = site === undefined ? undefined : findChild(document, site, token)
  return site === undefined ? undefined : findDocumentPlace(document, site)
}

function findChild(document: JsonObject, site: string, token: string): string | undefined {
  const found = resolve(document, site)
  if (!found) return undefined
  const { items, properties } = found.value
  if (token === '*' && isObject(items)) return joinPointer(found.pointer, 'items')
  if (isObject(properties) && isObject(properties[token])) return joinPointer(found.pointer, 'properties', token)
  for (const part of listPartPointers(document, found.pointer)) {
    const child = findChild(document, part, token)
    if (child !== undefined) return child
  }
  return undefined
}

export function listPartPointers(document: JsonObject, pointer: string): string[] {
  const schema = resolve(document, pointer)?.value ?? {}
  return ['allOf', 'anyOf', 'oneOf'].flatMap((name) => {
    const parts = schema[name]
    return Array.isArray(parts) ? parts.map((_, index) => joinPointer(pointer, name, index)) : []
  })
}
