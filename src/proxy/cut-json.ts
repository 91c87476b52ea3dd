import { joinPointer } from '../core/json-pointer.ts'
import { endOfString } from '../core/json-syntax.ts'

/** The first part of a JSON text, with its open objects and arrays closed. */
export interface CutJson {
  readonly text: string
  /** The pointers of the objects and arrays that lack members or items, at whatever level. */
  readonly cut: ReadonlySet<string>
}

/** An object or array that is open: its closing bracket, and the JSON of the name or index of its present value. */
interface OpenContainer {
  readonly close: '}' | ']'
  key: string | number
}

/** Cuts the text of JSON after so many members and items, or where the text itself ends too early. */
export function cutJson(text: string, most: number): CutJson {
  const open: OpenContainer[] = []
  let values = 0
  let end = 0
  for (let at = 0; at < text.length && values < most; ) {
    const first = text[at] ?? ''
    const next = endOfToken(text, at)
    if (next === 0) break // a string without its end
    followToken(open, first, text.slice(at, next))
    if ('{[,'.includes(first)) values += 1
    if ('{[,]}'.includes(first)) end = first === ',' ? at : next
    at = next
  }
  const closed = open.toReversed().map(({ close }) => close)
  return { text: text.slice(0, end) + closed.join(''), cut: pointersOf(open) }
}

/** Returns the index after the string or character at an index; 0 for a string without its end. */
const endOfToken = (text: string, at: number) => (text[at] === '"' ? endOfString(text, at) : at + 1)

/** Keeps the open objects and arrays up to date. `token`: the next token of the text, which begins with `first`. */
function followToken(open: OpenContainer[], first: string, token: string): void {
  const inside = open.at(-1)
  if (first === '{') open.push({ close: '}', key: '' })
  else if (first === '[') open.push({ close: ']', key: 0 })
  else if (first === '}' || first === ']') open.pop()
  else if (first === ',' && typeof inside?.key === 'number') inside.key += 1
  else if (first === '"' && inside?.close === '}') inside.key = token // a name, or the value before the next one
}

function pointersOf(open: readonly OpenContainer[]): ReadonlySet<string> {
  const pointers = new Set<string>()
  let pointer = ''
  for (const { key } of open) {
    pointers.add(pointer)
    pointer = joinPointer(pointer, typeof key === 'number' ? String(key) : nameOf(key))
  }
  return pointers
}

/** Returns the name that a JSON text spells; empty where it is none. */
function nameOf(text: string): string {
  try {
    return JSON.parse(text)
  } catch {
    return ''
  }
}
