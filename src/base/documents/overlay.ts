import { type Flaw, isObject, type Json, measureJson } from '../core/json.ts'
import { joinPointer, valueAtTokens } from '../core/json-pointer.ts'
import { failure, type Result, success } from '../core/result.ts'
import { joinWords } from '../core/text.ts'
import { Origins } from './origins.ts'
import { findTreeFlaw } from './parse.ts'
import { type Overlay, type OverlayAction, type SelectedNode, select } from './read-overlay.ts'
import { errorAt, type Findings, MAX_VALUES, type Source } from './source.ts'

/** Applies an overlay to a copy of a document. The copy locates each value in the file that the value comes from. */
export function applyOverlay(document: Source, { source, actions }: Overlay): Result<Source, Findings> {
  const draft = new Draft(document, source)
  for (const action of actions) {
    const flaw = draft.apply(action)
    if (flaw) return failure([errorAt(source.locate(flaw.pointer), flaw.message)])
  }
  return success({ file: document.file, value: draft.value, locate: draft.origins.locate })
}

/** A document to which an overlay is being applied. The pointers in flaws, and `from`, refer to the overlay. */
class Draft {
  value: Json
  readonly origins: Origins
  readonly #overlay: Source

  constructor(document: Source, overlay: Source) {
    this.value = JSON.parse(JSON.stringify(document.value)) // a copy, so that `document` does not change
    this.origins = new Origins(document)
    this.#overlay = overlay
  }

  apply({ pointer, target, kind, readUpdate }: OverlayAction): Flaw | undefined {
    const flaw = (message: string) => ({ pointer: joinPointer(pointer, 'target'), message })
    const from = joinPointer(pointer, kind)
    const nodes = select(this.value, target)
    if (nodes.length === 0) return flaw(`matches nothing in the document: ${target}`)
    const isWhole = nodes.some(({ tokens }) => tokens.length === 0)
    if (kind === 'remove')
      return isWhole ? flaw('matches the whole document, which cannot be removed') : this.#remove(nodes, from)
    const kinds = new Set(nodes.map(({ value }) => kindOf(value)))
    if (kinds.size > 1) return flaw(`matches ${joinWords([...kinds])}; an update needs targets of one kind`)
    const update = readUpdate(this.value)
    if (!update.ok) return { pointer: from, message: update.error }
    if (nodes.length * (measureJson(update.value).members + 1) > MAX_VALUES)
      return { pointer, message: `matches ${nodes.length} targets, too many for an update of this size` }
    const flaws = nodes.map(({ tokens }) => this.#merge(tokens, update.value, from, true))
    const treeFlaw = findTreeFlaw(this.value)
    const resultFlaw = treeFlaw && { pointer, message: `results in a document that ${treeFlaw.message}` }
    return flaws.find((one) => one !== undefined) ?? resultFlaw
  }

  #setOrigin(tokens: readonly string[], pointer: string): void {
    this.origins.set(joinPointer('', ...tokens), { source: this.#overlay, pointer })
  }

  /** Removes inner values and later array items first, so that the remaining tokens stay valid. */
  #remove(nodes: readonly SelectedNode[], from: string): undefined {
    const indexOf = ({ tokens }: SelectedNode) => Number(tokens.at(-1)) || 0
    const sorted = nodes.toSorted((a, b) => b.tokens.length - a.tokens.length || indexOf(b) - indexOf(a))
    for (const { tokens } of sorted) {
      const parent = tokens.slice(0, -1)
      const name = tokens.at(-1) ?? ''
      const container = valueAtTokens(this.value, parent)
      if (Array.isArray(container)) {
        this.origins.removeItem(joinPointer('', ...parent), Number(name), container.length)
        container.splice(Number(name), 1)
      } else if (isObject(container)) {
        delete container[name]
        // A finding about the missing member points to the action that removed it.
        this.#setOrigin(tokens, from)
      }
    }
  }

  /** Merges an update into the value at `tokens`. A target that is an array accepts an update of any type. */
  #merge(tokens: readonly string[], update: Json, from: string, isTarget = false): Flaw | undefined {
    const old = valueAtTokens(this.value, tokens)
    if (old === undefined) return this.#put(tokens, update, from)
    if (Array.isArray(old) && (isTarget || Array.isArray(update))) return this.#append(tokens, old, update, from)
    if (kindOf(old) !== kindOf(update)) {
      const at = joinPointer('', ...tokens) || 'the document'
      const reason = `${at} is ${kindOf(old)}, but the update is ${kindOf(update)}`
      return { pointer: from, message: `cannot be merged: ${reason}. Remove the old value first` }
    }
    if (!isObject(old) || !isObject(update)) return this.#put(tokens, update, from)
    for (const [name, value] of Object.entries(update)) {
      const flaw = this.#merge([...tokens, name], value, joinPointer(from, name))
      if (flaw) return flaw
    }
    return undefined
  }

  #append(tokens: readonly string[], list: Json[], update: Json, from: string): undefined {
    const items = Array.isArray(update) ? update : [update]
    for (const [index, item] of items.entries()) {
      const at = [...tokens, String(list.length)]
      list.push(structuredClone(item))
      this.#setOrigin(at, Array.isArray(update) ? joinPointer(from, index) : from)
    }
  }

  #put(tokens: readonly string[], value: Json, from: string): undefined {
    const container = valueAtTokens(this.value, tokens.slice(0, -1))
    const name = tokens.at(-1)
    if (name === undefined) this.value = structuredClone(value)
    else if (Array.isArray(container)) container[Number(name)] = structuredClone(value)
    else if (isObject(container)) container[name] = structuredClone(value)
    this.#setOrigin(tokens, from)
  }
}

function kindOf(value: Json) {
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : 'a single value'
}
