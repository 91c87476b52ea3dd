import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { parsePointer, valueAt } from '../core/json-pointer.ts'
import { applyEdits, type Edit } from '../documents/edit.ts'

/**
 * Writes changes of a document as an OpenAPI Overlay 1.1.0. Each action sets or removes one member: an update of an object or array that exists
 * would be merged with it, so such a member is removed before.
 */
export function createOverlay(document: JsonObject, edits: readonly Edit[]): JsonObject {
  let current: Json = document
  const actions: JsonObject[] = []
  for (const edit of edits) {
    const before: Json | undefined = valueAt(current, edit.pointer)
    current = applyEdits(current, [edit])
    actions.push(...toActions(edit.pointer, before, valueAt(current, edit.pointer)))
  }
  const { title, version } = isObject(document.info) ? document.info : {}
  return {
    overlay: '1.1.0',
    info: {
      title: `Differences of ${String(title ?? 'the service')}, found by convsim drift`,
      version: String(version ?? '1'),
    },
    actions,
  }
}

function toActions(pointer: string, before: Json | undefined, after: Json | undefined): JsonObject[] {
  const tokens = parsePointer(pointer)
  const owner = tokens.slice(0, -1)
  const isMerged = typeof before === 'object' && before !== null
  const actions: JsonObject[] = []
  if (before !== undefined && (after === undefined || isMerged))
    actions.push({ target: toJsonPath(tokens), remove: true })
  if (after !== undefined)
    actions.push({ target: toJsonPath(owner), update: { [tokens.at(-1) ?? '']: after } })
  return actions
}

/** Returns the JSONPath of a place: `$.paths['/models/{modelId}/analytics'].get`. */
export function toJsonPath(tokens: readonly string[]): string {
  const steps = tokens.map((token) =>
    /^[A-Za-z_]\w*$/.test(token)
      ? `.${token}`
      : `['${token.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`,
  )
  return `$${steps.join('')}`
}
