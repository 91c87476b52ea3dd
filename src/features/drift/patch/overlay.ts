import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { parsePointer, valueAt } from '../../../base/core/json-pointer.ts'
import { applyEdits, type Edit } from '../../../base/documents/edit.ts'

/** The end of the title of an overlay that `convsim drift` has written. */
export const patchMark = ', found by convsim drift'

/** Writes changes of a document as an OpenAPI Overlay 1.1.0, which can also append and remove items of a list. */
export function createOverlay(document: JsonObject, edits: readonly Edit[]): JsonObject {
  let current: Json = document
  const actions: JsonObject[] = []
  for (const edit of edits) {
    actions.push(...toActions(edit, valueAt(current, edit.pointer)))
    current = applyEdits(current, [edit])
  }
  const { title, version } = isObject(document.info) ? document.info : {}
  return {
    overlay: '1.1.0',
    info: { title: `Differences of ${String(title ?? 'the service')}${patchMark}`, version: String(version ?? '1') },
    actions,
  }
}

function toActions(edit: Edit, before: Json | undefined): JsonObject[] {
  const tokens = parsePointer(edit.pointer)
  const target = toJsonPath(tokens)
  switch (edit.kind) {
    case 'append':
      return [{ target, update: [edit.value] }]
    case 'remove-item':
      return [{ target: `${target}[?@ == ${quoteForJsonPath(edit.value)}]`, remove: true }]
    case 'remove':
      return [{ target, remove: true }]
    case 'set': {
      // An object would be merged, a list appended to, and a single value takes neither.
      const isMerged = before !== undefined && (isComposite(before) || isComposite(edit.value))
      const owner = toJsonPath(tokens.slice(0, -1))
      const update = { target: owner, update: { [tokens.at(-1) ?? '']: edit.value } }
      return isMerged ? [{ target, remove: true }, update] : [update]
    }
  }
}

const isComposite = (value: Json) => typeof value === 'object' && value !== null

/** Returns the JSONPath of a place: `$.paths['/models/{modelId}/analytics'].get`. */
function toJsonPath(tokens: readonly string[]): string {
  const steps = tokens.map((token) => (/^[A-Za-z_]\w*$/.test(token) ? `.${token}` : `[${quoteForJsonPath(token)}]`))
  return `$${steps.join('')}`
}

const quoteForJsonPath = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
