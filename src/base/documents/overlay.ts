import { isObject, type Json, type JsonObject, measureJson } from '../core/json.ts'
import { joinPointer, valueAtTokens } from '../core/json-pointer.ts'
import { failure, type Result, success } from '../core/result.ts'
import { findTreeFault, MAX_VALUES } from './check-tree.ts'
import { copyJson } from './edit.ts'
import { errorAt, type Findings } from './finding.ts'
import type { JsonPath, SelectedNode } from './json-path.ts'
import { PlaceTree } from './place-tree.ts'
import type { Source } from './source.ts'

/** An OpenAPI Overlay 1.0 or 1.1 that was read and checked (`read-overlay.ts`). */
export interface Overlay {
  readonly source: Source
  readonly actions: readonly OverlayAction[]
}

/** A change to the places of a document that a JSONPath selects. */
export interface OverlayAction {
  /** The pointer of the action within the overlay: `/actions/0`. */
  readonly pointer: string
  readonly target: JsonPath
  readonly change:
    | { readonly kind: 'remove' }
    /** `value`: the update. */
    | { readonly kind: 'update'; readonly value: Json }
    /** `from`: the path of the update within the document. */
    | { readonly kind: 'copy'; readonly from: JsonPath }
  /** True for an overlay 1.1, whose target can also be a text, a number, a boolean or null. */
  readonly changesPrimitives: boolean
}

/** A document while the actions of an overlay change it. */
interface Draft {
  value: Json
  readonly places: PlaceTree
  readonly overlay: Source
}

/** A fault of an action: a sentence, and the pointer within the overlay. */
interface ActionFault {
  readonly pointer: string
  readonly message: string
}

/**
 * Applies an overlay to a copy of a document. The places of the result lead to the document for what came from it, and
 * to the overlay for what that put there or removed.
 * @returns the finding on the first action that cannot be applied; one whose target selects nothing is an error, too
 */
export function applyOverlay(document: Source, overlay: Overlay): Result<Source, Findings> {
  const places = new PlaceTree(document)
  const draft: Draft = { value: copyJson(document.value), places, overlay: overlay.source }
  for (const action of overlay.actions) {
    const fault = applyAction(draft, action) ?? findSizeFault(draft, action)
    if (fault) return failure([errorAt(overlay.source.place(fault.pointer), fault.message)])
  }
  return success({ file: document.file, value: draft.value, place: (pointer) => places.place(pointer) })
}

function findSizeFault({ value }: Draft, { pointer }: OverlayAction): ActionFault | undefined {
  const fault = findTreeFault(value)
  return fault && { pointer, message: `makes a document that ${fault.message}` }
}

function applyAction(draft: Draft, action: OverlayAction): ActionFault | undefined {
  const { pointer, target, change, changesPrimitives } = action
  const fault = (message: string) => ({ pointer: joinPointer(pointer, 'target'), message })
  const nodes = target.select(draft.value)
  const kinds = new Set(nodes.map(({ value }) => kindOf(value)))
  if (nodes.length === 0) return fault(`meets nothing in the document: ${target.text}`)
  if (!changesPrimitives && kinds.has('a single value'))
    return fault('meets a value that is neither an object nor a list, which needs "overlay: 1.1.0"')
  if (change.kind === 'remove') {
    if (nodes.some(({ tokens }) => tokens.length === 0)) return fault('is the whole document, which cannot be removed')
    removeNodes(draft, nodes, joinPointer(pointer, 'remove'))
    return undefined
  }
  if (kinds.size > 1) return fault(`meets ${[...kinds].join(' and ')}; an update needs places of one kind`)
  return updateNodes(draft, nodes, change, pointer)
}

/** Removes values, the last first, so that the indexes of the others stay true. */
function removeNodes({ value, places, overlay }: Draft, nodes: readonly SelectedNode[], from: string): void {
  for (const { tokens } of [...nodes].sort(compareNodes).reverse()) {
    const around = tokens.slice(0, -1)
    const name = tokens.at(-1) ?? ''
    const container = valueAtTokens(value, around)
    if (Array.isArray(container)) {
      places.removeItem(around, Number(name), container.length)
      container.splice(Number(name), 1)
    } else if (isObject(container)) {
      delete container[name]
      // A finding about the missing member leads to the action that removed it.
      places.set(tokens, overlay, from)
    }
  }
}

/** Compares the places of two values in the document: indexes by number, an inner value behind the value around it. */
function compareNodes({ tokens: a }: SelectedNode, { tokens: b }: SelectedNode): number {
  const at = a.findIndex((token, index) => token !== b[index])
  if (at < 0) return a.length - b.length
  const [left = '', right = ''] = [a[at], b[at]]
  return b[at] === undefined ? 1 : Number(left) - Number(right) || (left < right ? -1 : 1)
}

/** Makes an update or a copy at each place. */
function updateNodes(
  draft: Draft,
  nodes: readonly SelectedNode[],
  change: Exclude<OverlayAction['change'], { kind: 'remove' }>,
  pointer: string,
): ActionFault | undefined {
  const from = joinPointer(pointer, change.kind)
  const found = change.kind === 'update' ? success(change.value) : readCopied(draft, change.from)
  if (!found.ok) return { pointer: from, message: found.error }
  const { value } = found
  if (nodes.length * (measureJson(value).members + 1) > MAX_VALUES)
    return { pointer, message: `meets ${nodes.length} places, too many for an update of this size` }
  for (const { tokens } of nodes) {
    const fault = merge(draft, tokens, value, from)
    if (fault) return fault
  }
  return undefined
}

/** Returns a copy of the one value that a path selects, which the changes do not reach. */
function readCopied({ value }: Draft, path: JsonPath): Result<Json> {
  const [node, ...others] = path.select(value)
  if (node && others.length === 0) return success(structuredClone(node.value))
  return failure(`must meet one value; ${path.text} meets ${node ? others.length + 1 : 'none'}`)
}

/** Merges an update into the value at the tokens. A list gets a list's items, or another value as one more item. */
function merge(draft: Draft, tokens: readonly string[], update: Json, from: string): ActionFault | undefined {
  const old = valueAtTokens(draft.value, tokens)
  if (Array.isArray(old)) return append(draft, tokens, old, update, from)
  if (kindOf(old) !== kindOf(update)) return misfit(tokens, old, update, from)
  return isObject(old) && isObject(update)
    ? mergeMembers(draft, tokens, old, update, from)
    : put(draft, tokens, update, from)
}

/** Merges the members of an update. A list of the document takes a list alone here. */
function mergeMembers(
  draft: Draft,
  tokens: readonly string[],
  old: JsonObject,
  update: JsonObject,
  from: string,
): ActionFault | undefined {
  for (const [name, value] of Object.entries(update)) {
    const present = Object.hasOwn(old, name) ? old[name] : undefined
    const isFit = present === undefined || kindOf(present) === kindOf(value)
    const [at, origin, change] = [[...tokens, name], joinPointer(from, name), present === undefined ? put : merge]
    const fault = isFit ? change(draft, at, value, origin) : misfit(at, present, value, origin)
    if (fault) return fault
  }
  return undefined
}

function misfit(tokens: readonly string[], old: Json | undefined, update: Json, pointer: string): ActionFault {
  const place = joinPointer('', ...tokens) || 'the document'
  const message =
    `cannot be merged: ${place} is ${kindOf(old)}, and the update ${kindOf(update)}. ` +
    'Remove the place by an action of its own first, then add it'
  return { pointer, message }
}

function append(draft: Draft, tokens: readonly string[], list: Json[], update: Json, from: string): undefined {
  const items = Array.isArray(update) ? update : [update]
  for (const [index, item] of items.entries()) {
    const at = [...tokens, String(list.length)]
    list.push(structuredClone(item))
    draft.places.set(at, draft.overlay, Array.isArray(update) ? joinPointer(from, index) : from)
  }
}

/** Puts a value in its place, whatever was there. */
function put(draft: Draft, tokens: readonly string[], value: Json, from: string): undefined {
  const container = valueAtTokens(draft.value, tokens.slice(0, -1))
  const name = tokens.at(-1)
  if (name === undefined) draft.value = structuredClone(value)
  else if (Array.isArray(container)) container[Number(name)] = structuredClone(value)
  else if (isObject(container)) container[name] = structuredClone(value)
  draft.places.set(tokens, draft.overlay, from)
}

type Kind = 'an object' | 'a list' | 'a single value'

function kindOf(value: Json | undefined): Kind {
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : 'a single value'
}
