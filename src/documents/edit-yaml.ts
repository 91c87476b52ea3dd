import {
  type Document,
  isAlias,
  isCollection,
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
import { copyJson } from '../core/copy-json.ts'
import type { Json } from '../core/json.ts'
import { joinPointer, parsePointer, valueAtTokens } from '../core/json-pointer.ts'
import { isSameJson } from '../core/same-json.ts'
import { applyEdits, type Edit } from './edit.ts'

/** The text of a document after changes. */
export interface EditedText {
  readonly text: string
  /** False: the library wrote the whole document anew, since a change had no place in its layout. */
  readonly keepsLayout: boolean
}

/**
 * Makes changes in the text of a YAML or JSON file. Only the changed places are written anew, so that comments, order and layout of all others
 * stay as they are. Undefined: the text cannot be changed in this way.
 */
export function editYaml(text: string, edits: readonly Edit[]): EditedText | undefined {
  const hasCrlf = /\r\n/.test(text) && !/(^|[^\r])\n/.test(text)
  let edited = hasCrlf ? text.replaceAll('\r\n', '\n') : text
  let keepsLayout = true
  for (const edit of edits) {
    const next = editOnce(edited, edit)
    if (next === undefined) return undefined
    edited = next.text
    keepsLayout &&= next.keepsLayout
  }
  return { text: hasCrlf ? edited.replaceAll('\n', '\r\n') : edited, keepsLayout }
}

/** The largest number of values that aliases may expand to, as in `parseSource`. */
const maxAliasCount = 1000

function editOnce(text: string, edit: Edit): EditedText | undefined {
  const document = parseDocument(text)
  const value = readValue(document)
  if (value === undefined) return undefined
  const expected = applyEdits(value, [edit])
  const fits = (edited: string | undefined): edited is string =>
    edited !== undefined && isSameJson(expected, readValue(parseDocument(edited)))
  const own = writeAliasOut(text, document, value, parsePointer(edit.pointer))
  const spliced = splice(own, own === text ? document : parseDocument(own), edit)
  if (fits(spliced)) return { text: spliced, keepsLayout: true }
  const plain = writeAllAliasesOut(own, value)
  const further = plain === own ? undefined : splice(plain, parseDocument(plain), edit)
  if (fits(further)) return { text: further, keepsLayout: true }
  const rewritten = rewrite(plain, edit)
  return fits(rewritten) ? { text: rewritten, keepsLayout: false } : undefined
}

/** Returns the value of a document; undefined where it has none. Each alias stands for a value of its own. */
function readValue(document: Document): Json | undefined {
  if (document.errors.length > 0) return undefined
  try {
    return copyJson(document.toJS({ maxAliasCount }) as Json)
  } catch {
    return undefined // an alias without its anchor
  }
}

/** Writes the value in the place of an alias on the way to a place, since a change behind it would have no place in the text. */
function writeAliasOut(text: string, document: Document, value: Json, tokens: readonly string[]): string {
  const index = tokens.findIndex((_, at) => isAlias(document.getIn(tokens.slice(0, at + 1), true)))
  return index < 0 ? text : setValue(text, document, value, tokens.slice(0, index + 1))
}

/** Writes the values in the places of all aliases: a change at an anchor would be one at its aliases, too. */
function writeAllAliasesOut(text: string, value: Json): string {
  let written = text
  for (let count = 0; count < maxAliasCount; count += 1) {
    const document = parseDocument(written)
    const tokens = findAlias(document.contents, [])
    if (!tokens) return written
    const next = setValue(written, document, value, tokens)
    if (next === written) return written
    written = next
  }
  return written
}

/** Returns the tokens of the first alias that is a member of an object; undefined: there is none. */
function findAlias(node: unknown, tokens: readonly string[]): string[] | undefined {
  if (!isMap(node) && !isSeq(node)) return undefined
  for (const [name, child] of childrenOf(node)) {
    if (isAlias(child) && isMap(node)) return [...tokens, name]
    const found = findAlias(child, [...tokens, name])
    if (found) return found
  }
  return undefined
}

function childrenOf(node: Collection): [name: string, child: unknown][] {
  if (isMap(node)) return node.items.map(({ key, value }) => [nameOf(key), value])
  return node.items.map((item, index) => [String(index), item])
}

const nameOf = (key: unknown) => String(isScalar(key) ? key.value : key)

function setValue(text: string, document: Document, root: Json, tokens: readonly string[]): string {
  const value = valueAtTokens(root, tokens)
  const edit = { kind: 'set', pointer: joinPointer('', ...tokens), value: value ?? null } as const
  return splice(text, document, edit) ?? text
}

/** Makes a change whose layout cannot be kept. The library writes the document, with its comments. */
function rewrite(text: string, edit: Edit): string | undefined {
  const document = parseDocument(text)
  const tokens = parsePointer(edit.pointer)
  if (!isCollection(document.getIn(tokens.slice(0, -1), true))) return undefined
  const target = document.getIn(tokens, true)
  if (edit.kind === 'set') document.setIn(tokens, document.createNode(edit.value))
  else if (edit.kind === 'remove') document.deleteIn(tokens)
  else if (!isSeq(target)) return undefined
  else if (edit.kind === 'append') target.add(document.createNode(edit.value))
  else target.delete(findItem(target, edit.value))
  try {
    return document.toString({ lineWidth: 0 })
  } catch {
    return undefined // an alias without its anchor
  }
}

const findItem = (list: YAMLSeq, value: string) =>
  list.items.findIndex((item) => isScalar(item) && item.value === value)

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

/** Writes a value in one line. JSON, which is YAML as well, escapes the line breaks within a text. */
function toFlow(value: Json): string {
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0, singleQuote: true }).trim()
  return lineBreaks.test(text) ? JSON.stringify(value).replace(furtherBreaks, escapeCharacter) : text
}

const lineBreaks = /[\r\n\u0085\u2028\u2029]/
const furtherBreaks = /[\u0085\u2028\u2029]/g

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const findMember = (map: YAMLMap, name: string) => map.items.findIndex(({ key }) => nameOf(key) === name)

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
