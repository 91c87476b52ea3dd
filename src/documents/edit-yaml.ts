import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Json } from '../core/json.ts'
import { parsePointer } from '../core/json-pointer.ts'
import { isSameJson } from '../core/same-json.ts'
import { applyEdits, type Edit } from './edit.ts'

/**
 * Makes changes in the text of a YAML or JSON file. Only the changed places are written anew, so that comments, order and layout of all others
 * stay as they are.
 */
export function editYaml(text: string, edits: readonly Edit[]): string {
  let edited = text
  for (const edit of edits) edited = editOnce(edited, edit)
  return edited
}

function editOnce(text: string, edit: Edit): string {
  const document = parseDocument(text)
  const expected: Json = applyEdits(document.toJS(), [edit])
  const spliced = splice(text, document, edit)
  if (spliced !== undefined && hasValue(spliced, expected)) return spliced
  return rewrite(document, edit)
}

/** Makes a change whose layout cannot be kept, such as one behind an alias. The library writes the document, with its comments. */
function rewrite(document: Document, edit: Edit): string {
  const tokens = parsePointer(edit.pointer)
  if (edit.kind === 'set') document.setIn(tokens, document.createNode(edit.value))
  else if (edit.kind === 'remove') document.deleteIn(tokens)
  else if (edit.kind === 'append') document.addIn(tokens, document.createNode(edit.value))
  else {
    const list = document.getIn(tokens)
    const index = isSeq(list) ? findItem(list, edit.value) : -1
    if (index >= 0) document.deleteIn([...tokens, index])
  }
  return document.toString({ lineWidth: 0 })
}

const findItem = (list: YAMLSeq, value: string) =>
  list.items.findIndex((item) => isScalar(item) && item.value === value)

function hasValue(text: string, expected: Json): boolean {
  const document = parseDocument(text)
  return document.errors.length === 0 && isSameJson(expected, document.toJS())
}

type Collection = YAMLMap | YAMLSeq

/** A member or item with its place in the text, from its beginning to the end of its value. */
interface Entry {
  readonly start: number
  readonly end: number
  /** The beginning of its value; undefined: it has none. */
  readonly valueStart: number | undefined
}

/** Returns the text with one change; undefined where the change has no place in it. */
function splice(text: string, document: Document, edit: Edit): string | undefined {
  const tokens = parsePointer(edit.pointer)
  const name = tokens.at(-1) ?? ''
  const owner = document.getIn(tokens.slice(0, -1), true)
  if (!isMap(owner)) return undefined
  const isJson = owner.flow === true && text.trimStart().startsWith('{')
  const write = (value: Json) => (isJson ? JSON.stringify(value) : toFlow(value))
  if (edit.kind === 'set') {
    const entry = entriesOf(owner)[findMember(owner, name)]
    if (!entry) return insert(text, owner, `${write(name)}: ${write(edit.value)}`)
    if (entry.valueStart === undefined) return undefined
    return text.slice(0, entry.valueStart) + write(edit.value) + lineEnd(text, entry) + text.slice(entry.end)
  }
  if (edit.kind === 'remove') return remove(text, owner, findMember(owner, name))
  const list = owner.get(name, true)
  if (!isSeq(list)) return undefined
  if (edit.kind === 'append') return insert(text, list, write(edit.value))
  return remove(text, list, findItem(list, edit.value))
}

/** Returns the line break that the end of a block value includes, and a value in its place has to keep. */
const lineEnd = (text: string, { end }: Entry) => (text[end - 1] === '\n' ? '\n' : '')

const toFlow = (value: Json) =>
  stringify(value, { collectionStyle: 'flow', lineWidth: 0, singleQuote: true }).trim()

const findMember = (map: YAMLMap, name: string) =>
  map.items.findIndex(({ key }) => String(isScalar(key) ? key.value : key) === name)

function entriesOf(collection: Collection): Entry[] {
  return collection.items.map((item) => {
    const value: unknown = isPair(item) ? item.value : item
    const first: unknown = isPair(item) ? item.key : item
    const [start = 0, keyEnd = 0] = (isNode(first) && first.range) || []
    const [valueStart, end = keyEnd] = (isNode(value) && value.range) || []
    return { start, end, valueStart }
  })
}

/** Inserts a member or an item behind the last one. */
function insert(text: string, collection: Collection, written: string): string | undefined {
  const entries = entriesOf(collection)
  const last = entries.at(-1)
  if (collection.flow) {
    const [start = 0] = collection.range ?? []
    return last
      ? `${text.slice(0, last.end)}, ${written}${text.slice(last.end)}`
      : `${text.slice(0, start + 1)} ${written} ${text.slice(start + 1)}`
  }
  const first = entries[0]
  if (!first || !last) return undefined
  const column = first.start - (text.lastIndexOf('\n', first.start - 1) + 1)
  const at = endOfLine(text, last.end)
  const dash = isSeq(collection) ? '- ' : ''
  const indent = ' '.repeat(column - dash.length)
  const before = text[at - 1] === '\n' ? '' : '\n'
  return `${text.slice(0, at)}${before}${indent}${dash}${written}\n${text.slice(at)}`
}

/** Removes a member or an item. */
function remove(text: string, collection: Collection, index: number): string | undefined {
  const entries = entriesOf(collection)
  const entry = entries[index]
  const next = entries[index + 1]
  const previous = entries[index - 1]
  if (!entry) return undefined
  if (collection.flow) {
    if (next) return text.slice(0, entry.start) + text.slice(next.start)
    return text.slice(0, previous ? previous.end : entry.start) + text.slice(entry.end)
  }
  const lineStart = text.lastIndexOf('\n', entry.start - 1) + 1
  const isAlone = /^\s*(- )?$/.test(text.slice(lineStart, entry.start))
  if (entries.length === 1 || !isAlone) return undefined
  // The first member of an item stands behind its dash, which the next one takes over.
  if (isMap(collection) && text.slice(lineStart, entry.start).includes('-'))
    return next && text.slice(0, entry.start) + text.slice(next.start)
  return text.slice(0, lineStart) + text.slice(endOfLine(text, entry.end))
}

/** Returns the index after the line that ends a value; the end of a block value is behind its line break already. */
function endOfLine(text: string, end: number): number {
  if (text[end - 1] === '\n') return end
  const at = text.indexOf('\n', end)
  return at < 0 ? text.length : at + 1
}
