import { isObject, type Json, measureJson } from '../core/json.ts'
import { joinPointer, parsePointer, valueAtTokens } from '../core/json-pointer.ts'
import { failure, type Result, success } from '../core/result.ts'
import type { Flaw } from '../core/violation.ts'
import { errorAt, type Findings } from './finding.ts'
import { findTreeFault } from './parse.ts'
import type { JsonPath, Overlay, OverlayAction, SelectedNode } from './read-overlay.ts'
import type { Source } from './source.ts'
import { MAX_VALUES } from './source.ts'

/**
 * Applies an overlay to a copy of a document. The places of the result lead to the document for what came from it, and
 * to the overlay for what that put there or removed.
 * @returns the finding on the first action that cannot be applied; one whose target selects nothing is an error, too
 */
export function applyOverlay(document: Source, { source, actions }: Overlay): Result<Source, Findings> {
  const draft = new Draft(document, source)
  for (const action of actions) {
    const fault = draft.apply(action)
    if (fault) return failure([errorAt(source.place(fault.pointer), fault.message)])
  }
  return success({ file: document.file, value: draft.value, place: (pointer) => draft.places.place(pointer) })
}

/** A document while the actions of an overlay change it. Flaws and `from` point at the overlay. */
class Draft {
  value: Json
  readonly places: PlaceTree
  readonly #overlay: Source

  constructor(document: Source, overlay: Source) {
    this.value = JSON.parse(JSON.stringify(document.value)) // an alias of YAML shares a value between places
    this.places = new PlaceTree(document)
    this.#overlay = overlay
  }

  apply(action: OverlayAction): Flaw | undefined {
    const fault = this.#change(action)
    if (fault) return fault
    const ofTree = findTreeFault(this.value)
    return ofTree && { pointer: action.pointer, message: `makes a document that ${ofTree.message}` }
  }

  #change({ pointer, target, change, changesPrimitives }: OverlayAction): Flaw | undefined {
    const fault = (message: string) => ({ pointer: joinPointer(pointer, 'target'), message })
    const nodes = target.select(this.value)
    const kinds = new Set(nodes.map(({ value }) => kindOf(value)))
    if (nodes.length === 0) return fault(`meets nothing in the document: ${target.text}`)
    if (!changesPrimitives && kinds.has('a single value'))
      return fault('meets a value that is neither an object nor a list, which needs "overlay: 1.1.0"')
    if (change.kind === 'remove') {
      const isWhole = nodes.some(({ tokens }) => tokens.length === 0)
      if (isWhole) return fault('is the whole document, which cannot be removed')
      this.#remove(nodes, joinPointer(pointer, 'remove'))
      return undefined
    }
    if (kinds.size > 1) return fault(`meets ${[...kinds].join(' and ')}; an update needs places of one kind`)
    return this.#update(nodes, change, pointer)
  }

  /** Removes inner values first and the last items of lists first, so that the tokens of the others stay true. */
  #remove(nodes: readonly SelectedNode[], from: string): void {
    const indexOf = ({ tokens }: SelectedNode) => Number(tokens.at(-1)) || 0
    const sorted = nodes.toSorted((a, b) => b.tokens.length - a.tokens.length || indexOf(b) - indexOf(a))
    for (const { tokens } of sorted) {
      const around = tokens.slice(0, -1)
      const name = tokens.at(-1) ?? ''
      const container = valueAtTokens(this.value, around)
      if (Array.isArray(container)) {
        this.places.removeItem(around, Number(name), container.length)
        container.splice(Number(name), 1)
      } else if (isObject(container)) {
        delete container[name]
        // A finding about the missing member leads to the action that removed it.
        this.places.set(tokens, this.#overlay, from)
      }
    }
  }

  #update(
    nodes: readonly SelectedNode[],
    change: Exclude<OverlayAction['change'], { kind: 'remove' }>,
    pointer: string,
  ): Flaw | undefined {
    const from = joinPointer(pointer, change.kind)
    const found = change.kind === 'update' ? success(change.value) : this.#read(change.from)
    if (!found.ok) return { pointer: from, message: found.error }
    const { value } = found
    if (nodes.length * (measureJson(value).members + 1) > MAX_VALUES)
      return { pointer, message: `meets ${nodes.length} places, too many for an update of this size` }
    for (const { tokens } of nodes) {
      const fault = this.#merge(tokens, value, from, true)
      if (fault) return fault
    }
    return undefined
  }

  /** Returns a copy of the one value that a path selects, which the changes do not reach. */
  #read(path: JsonPath): Result<Json> {
    const [node, ...others] = path.select(this.value)
    if (node && others.length === 0) return success(structuredClone(node.value))
    return failure(`must meet one value; ${path.text} meets ${node ? others.length + 1 : 'none'}`)
  }

  /** Merges an update into the value at the tokens. A list that is the target takes one more item of any kind. */
  #merge(tokens: readonly string[], update: Json, from: string, isTarget = false): Flaw | undefined {
    const old = valueAtTokens(this.value, tokens)
    if (old === undefined) return this.#put(tokens, update, from)
    if (Array.isArray(old) && (isTarget || Array.isArray(update))) return this.#append(tokens, old, update, from)
    if (kindOf(old) !== kindOf(update)) return misfit(tokens, old, update, from)
    if (!isObject(old) || !isObject(update)) return this.#put(tokens, update, from)
    for (const [name, value] of Object.entries(update)) {
      const fault = this.#merge([...tokens, name], value, joinPointer(from, name))
      if (fault) return fault
    }
    return undefined
  }

  #append(tokens: readonly string[], list: Json[], update: Json, from: string): undefined {
    const items = Array.isArray(update) ? update : [update]
    for (const [index, item] of items.entries()) {
      const at = [...tokens, String(list.length)]
      list.push(structuredClone(item))
      this.places.set(at, this.#overlay, Array.isArray(update) ? joinPointer(from, index) : from)
    }
  }

  /** Puts a value in its place, whatever was there. */
  #put(tokens: readonly string[], value: Json, from: string): undefined {
    const container = valueAtTokens(this.value, tokens.slice(0, -1))
    const name = tokens.at(-1)
    if (name === undefined) this.value = structuredClone(value)
    else if (Array.isArray(container)) container[Number(name)] = structuredClone(value)
    else if (isObject(container)) container[name] = structuredClone(value)
    this.places.set(tokens, this.#overlay, from)
  }
}

function misfit(tokens: readonly string[], old: Json, update: Json, pointer: string): Flaw {
  const place = joinPointer('', ...tokens) || 'the document'
  const message =
    `cannot be merged: ${place} is ${kindOf(old)}, and the update ${kindOf(update)}. ` +
    'Remove the place by an action of its own first, then add it'
  return { pointer, message }
}

function kindOf(value: Json) {
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : 'a single value'
}

/** The origins of the values of a document that overlays have changed: that set for the value, or one around it. */
class PlaceTree {
  private source: Source
  private pointer: string
  private readonly members = new Map<string, PlaceTree>()

  constructor(source: Source, pointer = '') {
    this.source = source
    this.pointer = pointer
  }

  place(pointer: string): string {
    const origin = this.find(parsePointer(pointer))
    return origin.source.place(origin.pointer)
  }

  /** Sets the origin of the value at the tokens, and so of all values in it. */
  set(tokens: readonly string[], source: Source, pointer: string): void {
    const node = this.find(tokens)
    node.source = source
    node.pointer = pointer
    node.members.clear()
  }

  /** Removes an item of a list with `length` items: those behind it move forward with their origins. */
  removeItem(list: readonly string[], index: number, length: number): void {
    const node = this.find(list)
    for (let at = index; at < length - 1; at += 1) node.members.set(String(at), node.child(String(at + 1)))
    node.members.delete(String(length - 1))
  }

  private find(tokens: readonly string[]): PlaceTree {
    return tokens.reduce<PlaceTree>((node, token) => node.child(token), this)
  }

  private child(token: string): PlaceTree {
    const child = this.members.get(token) ?? new PlaceTree(this.source, joinPointer(this.pointer, token))
    this.members.set(token, child)
    return child
  }
}
