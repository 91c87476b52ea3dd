import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer, parsePointer, valueAt } from '../core/json-pointer.ts'
import type { Violation } from '../documents/violation.ts'
import { redacted } from '../journal/redact-token.ts'
import type { ObservedAnswer } from './answer.ts'
import type { DriftKind, Observation } from './observation.ts'
import { visitObjects } from './visit-objects.ts'

/** Compares the body of an answer with the schema of its status, and with the narrower rules that the simulator's own answers keep. */
export function observeBody(answer: ObservedAnswer): Observation[] {
  const { operation, status, body } = answer
  if (body === undefined || operation.responseDescription(status) === undefined) return []
  const { broken, narrow } = findBrokenRules(answer)
  const own = broken.flatMap((one) => toObservation(one, false))
  const places = new Set(own.map(({ pointer }) => pointer))
  const simulated = narrow
    .flatMap((one) => toObservation(one, true))
    .filter(({ pointer }) => !places.has(pointer))
  const added = observeNewFields(body, operation.responseSchema(status) ?? {}).filter(
    ({ pointer }) => !own.some((one) => one.kind === 'new-field' && one.pointer === pointer),
  )
  return [...dropConsequences([...own, ...simulated]), ...added]
}

/** Returns the places of broken rules about which nothing can be said: the recording redacts the value, or the place is too long. */
export function listUnreadable(answer: ObservedAnswer): string[] {
  const { broken, narrow } = findBrokenRules(answer)
  const hidden = [...broken, ...narrow].filter(isUnreadable)
  return [...new Set(hidden.map(({ violation, part }) => withStars(part, violation.pointer)))]
}

/** The broken rules of an answer: those of the contract, and those that only the simulator's own answers keep. */
interface BrokenRules {
  readonly broken: readonly BrokenRule[]
  readonly narrow: readonly BrokenRule[]
}

/** The rules of answers that were checked already: a body is checked for what can be read, and for what cannot. */
const checked = new WeakMap<ObservedAnswer, BrokenRules>()

function findBrokenRules(answer: ObservedAnswer): BrokenRules {
  const known = checked.get(answer)
  if (known) return known
  const { operation, status, body } = answer
  const isJudged = body !== undefined && operation.responseDescription(status) !== undefined
  const find = (check: (part: Json) => Violation[]) => (isJudged ? checkInParts(body, check) : [])
  const rules = {
    broken: find((part) => operation.checkResponse(status, part)),
    narrow: find((part) => operation.checkSimulatedResponse(status, part)),
  }
  checked.set(answer, rules)
  return rules
}

/** Returns true where a recording shows no credentials, or where a very long pointer is cut. */
function isUnreadable({ violation: { pointer }, part }: BrokenRule): boolean {
  if (pointer.endsWith('…')) return true
  const value = valueAt(part, pointer)
  return typeof value === 'string' && value.includes(redacted)
}

/** A broken rule, with the part of the body that its pointer leads into. */
interface BrokenRule {
  readonly violation: Violation
  readonly part: Json
}

/** The rules about the number of items, which a part of a list does not keep. */
const countKeywords = ['minItems', 'maxItems', 'uniqueItems', 'contains']

/** The most parts of a body that are checked, so that a body of many long lists cannot take forever. */
const maxParts = 500

/** Checks a body. A check stops after many errors; then the longest list is checked in two halves, so that no difference is lost. */
function checkInParts(body: Json, check: (part: Json) => Violation[]): BrokenRule[] {
  const found: BrokenRule[] = []
  const parts = [body]
  for (let count = 0; count < maxParts; count += 1) {
    const part = parts.pop()
    if (part === undefined) break
    const violations = check(part)
    for (const violation of violations) {
      const { keyword } = violation
      if (keyword !== 'more' && (part === body || !countKeywords.includes(keyword)))
        found.push({ violation, part })
    }
    if (violations.some(({ keyword }) => keyword === 'more')) parts.push(...halveLongestList(part))
  }
  return found
}

function halveLongestList(body: Json): Json[] {
  const longest = findLongestList(body, '')
  if (longest.length < 2) return []
  const middle = Math.ceil(longest.length / 2)
  const list = valueAt(body, longest.pointer)
  if (!Array.isArray(list)) return []
  return [list.slice(0, middle), list.slice(middle)].map((half) =>
    replaceList(body, parsePointer(longest.pointer), half),
  )
}

function findLongestList(value: Json, pointer: string): { pointer: string; length: number } {
  let longest = { pointer, length: Array.isArray(value) ? value.length : 0 }
  if (typeof value !== 'object' || value === null) return longest
  for (const [name, item] of Object.entries(value)) {
    const inner = findLongestList(item, joinPointer(pointer, name))
    if (inner.length > longest.length) longest = inner
  }
  return longest
}

function replaceList(value: Json, [token, ...rest]: readonly string[], list: Json[]): Json {
  if (token === undefined) return list
  if (Array.isArray(value))
    return value.map((item, index) => (index === Number(token) ? replaceList(item, rest, list) : item))
  return isObject(value) ? { ...value, [token]: replaceList(value[token] ?? null, rest, list) } : value
}

function toObservation(rule: BrokenRule, isSimulated: boolean): Observation[] {
  if (isUnreadable(rule)) return []
  const { violation, part } = rule
  const { pointer, keyword, message } = violation
  const value = valueAt(part, pointer)
  const kind = kindOf(keyword, value)
  const detail = kind === 'enum-value' ? JSON.stringify(value) : kind === 'constraint' ? keyword : ''
  return [{ kind, pointer: withStars(part, pointer), detail, value, keyword, isSimulated, message }]
}

/** The kinds of differences by the keyword that a value breaks; other keywords are constraints. */
const kinds: Readonly<Record<string, DriftKind>> = {
  required: 'missing-field',
  dependentRequired: 'missing-field',
  additionalProperties: 'new-field',
  unevaluatedProperties: 'new-field',
  type: 'wrong-type',
  anyOf: 'wrong-type',
  oneOf: 'wrong-type',
  enum: 'enum-value',
  const: 'enum-value',
  format: 'format',
}

function kindOf(keyword: string, value: Json | undefined): DriftKind {
  const kind = kinds[keyword] ?? 'constraint'
  if (kind !== 'wrong-type' && kind !== 'enum-value') return kind
  if (value === null) return 'null'
  return typeof value === 'object' ? 'wrong-type' : kind
}

/** Drops what follows from a wrong type at the same place: a number is in no list of strings either. */
function dropConsequences(observations: readonly Observation[]): Observation[] {
  const wrong = new Set(
    observations.filter(({ kind }) => kind === 'null' || kind === 'wrong-type').map(({ pointer }) => pointer),
  )
  return observations.filter(
    ({ kind, pointer }) => !wrong.has(pointer) || !['enum-value', 'format', 'constraint'].includes(kind),
  )
}

/** Returns a pointer with a star for each index of an array of the body. */
function withStars(body: Json, pointer: string): string {
  let value: Json | undefined = body
  let stars = ''
  for (const token of parsePointer(pointer)) {
    stars = joinPointer(stars, Array.isArray(value) ? '*' : token)
    value = valueAt(value, joinPointer('', token))
  }
  return stars
}

function observeNewFields(body: Json, schema: JsonObject): Observation[] {
  const found: Observation[] = []
  visitObjects(body, schema, ({ pointer, value, properties }) => {
    for (const name of Object.keys(value)) {
      if (properties.has(name)) continue
      const message = 'is not in the contract'
      const at = { pointer: joinPointer(pointer, name), value: value[name] }
      found.push({ kind: 'new-field', ...at, detail: '', keyword: '', isSimulated: false, message })
    }
  })
  return found
}
