import { type Json, parseJson, type Violation } from '../../../base/core/json.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import type { Sent, Shape } from './shape.ts'

/** The strings sent, by name; a name that was sent several times has a list of strings. */
export type Fields = Readonly<Record<string, string | readonly string[]>>

export interface Serialization {
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly name: string
  readonly style: string
  readonly explode: boolean
  readonly isJson: boolean
  readonly shape: Shape
}

/** Each style's leading mark, and its separators without and with `explode`. Without a separator, text is not split. */
const STYLES: Readonly<Record<string, readonly [mark: string, separator?: string, exploded?: string]>> = {
  simple: ['', ',', ','],
  label: ['.', ',', '.'],
  matrix: [';', ',', ';'],
  form: ['', ','],
  spaceDelimited: ['', ' ', ' '],
  pipeDelimited: ['', '|', '|'],
}

/** The maximum number of bracketed names in a key: `a[b][c]` has two. */
const MAX_DEPTH = 20

/** Creates a function that assigns sent fields to parameters and lists the unknown names. */
export function createFinder<Known extends Serialization>(parameters: readonly Known[]) {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const spread = parameters.filter(isSpread)
  const findOwner = (key: string) => {
    const parameter = byName.get(key)
    if (parameter !== undefined || (spread.length === 0 && !key.includes('['))) return parameter
    const names = [key.slice(0, key.lastIndexOf('[')), key.slice(0, key.indexOf('['))]
    return [...names.map((name) => byName.get(name)), ...spread].find((owner) => owner && pathOf(owner, key))
  }
  return (fields: Fields) => {
    const sent = new Map<Known, Sent>()
    const unknown: string[] = []
    for (const key of Object.keys(fields)) {
      const owner = findOwner(key)
      if (owner) sent.set(owner, insert(sent.get(owner), pathOf(owner, key) ?? [], fields[key] ?? ''))
      else unknown.push(key)
    }
    return { sent, unknown }
  }
}

/** Returns true for an object whose properties are sent under their own names: `x=1&y=2`. */
const isSpread = ({ style, explode, shape: { types } }: Serialization) =>
  style === 'form' && explode && types.has('object') && !types.has('array')

/** Returns a key's path in a parameter: `['a', 'b']` for `filter[a][b]`; undefined if the key does not belong to it. */
function pathOf(parameter: Serialization, key: string): string[] | undefined {
  const { name, style, in: location, shape } = parameter
  if (key === name) return []
  if (isSpread(parameter)) return shape.names.has(key) || shape.isOpen ? [key] : undefined
  if (!key.startsWith(`${name}[`) || !key.endsWith(']')) return undefined
  const path = key.slice(name.length + 1, -1).split('][')
  const isItem = location === 'query' && shape.types.has('array') && /^\d*$/.test(path[0] ?? '')
  return (style === 'deepObject' || isItem) && path.length <= MAX_DEPTH ? path : undefined
}

function insert(target: Sent | undefined, [name, ...rest]: readonly string[], text: Sent): Sent {
  if (name === undefined) return text
  const members = target instanceof Map ? target : new Map<string, Sent>()
  return members.set(name, insert(members.get(name), rest, text))
}

export function readSent(parameter: Serialization, sent: Sent): Result<Json, Pick<Violation, 'keyword' | 'message'>> {
  const { in: location, style, explode, isJson, shape } = parameter
  if (isJson && !(sent instanceof Map)) {
    const values = [sent].flat().map((text) => parseJson(String(text)))
    const parsed = values.filter((value) => value !== undefined)
    if (parsed.length < values.length) return failure({ keyword: 'json', message: 'must be valid JSON' })
    const [only = null] = parsed
    return success(typeof sent === 'string' && (Array.isArray(only) || !shape.types.has('array')) ? only : parsed)
  }
  const split = typeof sent === 'string' ? splitText(parameter, sent) : sent
  if (split !== undefined) return success(shape.read(split))
  const message = `must use the "${style}" style for ${location} parameters, with explode: ${explode}`
  return failure({ keyword: 'style', message })
}

/** Removes the style's prefix and splits lists and objects. Returns undefined for text that is not in the style. */
function splitText({ in: location, name, style, explode, shape }: Serialization, text: string): Sent | undefined {
  const isList = shape.types.has('array')
  const isObject = shape.types.has('object') && !isList
  const [mark, plain, exploded] = STYLES[style] ?? ['']
  // The `matrix` style includes the name (`;color=blue;color=black`), except for exploded objects (`;R=100;G=200`).
  const prefix = style === 'matrix' && !(isObject && explode) ? `;${name}=` : mark
  if (!text.startsWith(prefix)) return undefined
  const rest = (prefix === mark ? text : text.replaceAll(prefix, mark)).slice(mark.length)
  const separator = explode ? exploded : plain
  if (separator === undefined || !(isList || isObject)) return rest
  const parts = rest.split(separator).map((part) => (location === 'header' ? part.trim() : part))
  return isList ? parts : pairUp(parts, explode)
}

/** Pairs names with values, sent as `x=1` with `explode` or as `x`, `1` without; undefined if a value is missing. */
function pairUp(parts: readonly string[], explode: boolean): Sent | undefined {
  const pairs = explode
    ? parts.map((part) => part.split(/=(.*)/s, 2))
    : parts.flatMap((_, at) => (at % 2 === 0 ? [parts.slice(at, at + 2)] : []))
  return pairs.every((pair) => pair.length === 2) ? new Map(pairs as [string, string][]) : undefined
}
