import { isObject, type Json } from '../core/json.ts'
import { parsePointer, valueAtTokens } from '../core/json-pointer.ts'

/** A change of a document at a JSON pointer. */
export type Edit =
  /** Sets a member of an object, which may be there already, or an item of an array. */
  | { readonly kind: 'set'; readonly pointer: string; readonly value: Json }
  /** Removes a member of an object. */
  | { readonly kind: 'remove'; readonly pointer: string }

/** Returns a copy in which each place has a value of its own, also where an alias of YAML shared one. */
export function copyJson<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

/** Makes changes in a copy of a document. An edit whose place does not exist changes nothing. */
export function applyEdits(document: Json, edits: readonly Edit[]): Json {
  const copy = copyJson(document)
  for (const edit of edits) applyEdit(copy, edit)
  return copy
}

function applyEdit(root: Json, edit: Edit): void {
  const tokens = parsePointer(edit.pointer)
  const name = tokens.at(-1) ?? ''
  const owner = valueAtTokens(root, tokens.slice(0, -1))
  if (Array.isArray(owner) && edit.kind === 'set') owner[Number(name)] = edit.value
  if (!isObject(owner)) return
  if (edit.kind === 'set') owner[name] = edit.value
  else delete owner[name]
}
