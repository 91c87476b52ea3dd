import type { FittedJson } from '../../core/fit-json.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { parsePointer, valueAt, valueAtTokens } from '../../core/json-pointer.ts'
import type { Violation } from '../../documents/violation.ts'

/** A broken rule, with the part of the body that its pointer leads into. */
export interface PlacedViolation {
  readonly violation: Violation
  readonly part: Json
}

/** The broken rules of a body. */
interface BodyCheck {
  readonly broken: readonly PlacedViolation[]
  /** Is false if the check stopped at its bound, so that the body may break other rules. */
  readonly isComplete: boolean
}

/** The most parts of a body that are checked: each finds up to 100 broken rules. */
const maxParts = 500

/** The rules about the number of items, which a part of a list does not keep. */
const countKeywords = ['minItems', 'maxItems', 'uniqueItems', 'contains']

/**
 * Checks a body. A check stops after 100 errors; then the longest list with errors is checked in two halves, all halves
 * before their own ones, so that the parts are spread over the whole list where they are too many.
 */
export function checkInParts(body: FittedJson, check: (part: Json) => Violation[]): BodyCheck {
  const broken: PlacedViolation[] = []
  const marks: CutMarks = { cut: new Map(body.cut), around: new Set(body.around) }
  const parts = [body.value]
  let isComplete = true
  for (let count = 0; parts.length > 0; count += 1) {
    const part = parts.shift() as Json // the condition of the loop
    if (count === maxParts) return { broken, isComplete: false }
    const violations = check(part)
    const ignored = part === body.value ? endKeywords : [...endKeywords, ...countKeywords]
    const own = violations.filter((one) => !ignored.includes(one.keyword) && !isDoubtful(one, part, marks))
    broken.push(...own.map((violation) => ({ violation, part })))
    if (!violations.some(({ keyword }) => endKeywords.includes(keyword))) continue
    const halves = halveList(part, violations, marks)
    if (halves.length === 0) isComplete = false
    parts.push(...halves)
  }
  return { broken, isComplete }
}

/** The keywords of violations that stand for the end of a check: after many errors, and after a time. */
const endKeywords = ['more', 'timeout']

/** The containers of a body that lack members, each with the whole one, and all around them: see `FittedJson`. */
interface CutMarks {
  readonly cut: Map<Json | undefined, Json>
  readonly around: Set<Json | undefined>
}

/** The rules that a container breaks whatever is cut out of it. */
const certainKeywords = [
  'type',
  'maxItems',
  'maxProperties',
  'propertyNames',
  'additionalProperties',
  'unevaluatedProperties',
]

/** Returns true for a rule that may be broken only since the body is cut. */
function isDoubtful({ keyword, pointer }: Violation, part: Json, { cut, around }: CutMarks): boolean {
  if (around.size === 0) return false
  if (keyword === 'required' || keyword === 'dependentRequired') {
    const tokens = parsePointer(pointer)
    const whole = cut.get(valueAtTokens(part, tokens.slice(0, -1)))
    return isObject(whole) && Object.hasOwn(whole, tokens.at(-1) ?? '')
  }
  return !certainKeywords.includes(keyword) && around.has(valueAt(part, pointer))
}

/** Returns a part of a body with the first half of a list, and with the second; none without a list to halve. */
function halveList(part: Json, violations: readonly Violation[], marks: CutMarks): Json[] {
  const path = findListWithErrors(part, violations) ?? findLongestList(part)
  const list = valueAtTokens(part, path)
  if (!Array.isArray(list) || list.length < 2) return []
  const middle = Math.ceil(list.length / 2)
  return [list.slice(0, middle), list.slice(middle)].map((half) => replaceList(part, path, half, marks))
}

/** Returns the path of the longest list that has broken rules in it, if any. */
function findListWithErrors(part: Json, violations: readonly Violation[]): readonly string[] | undefined {
  let longest = 1
  let path: readonly string[] | undefined
  for (const { pointer, keyword } of violations) {
    if (endKeywords.includes(keyword)) continue
    const tokens = parsePointer(pointer)
    for (let count = 0; count < tokens.length; count += 1) {
      const value = valueAtTokens(part, tokens.slice(0, count))
      if (!Array.isArray(value) || value.length <= longest) continue
      longest = value.length
      path = tokens.slice(0, count)
    }
  }
  return path
}

function findLongestList(body: Json): readonly string[] {
  let longest = 0
  let path: readonly string[] = []
  const visit = (value: Json, tokens: string[]) => {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value) && value.length > longest) {
      longest = value.length
      path = [...tokens]
    }
    for (const name of Object.keys(value)) {
      tokens.push(name)
      visit(valueAtTokens(value, [name]) ?? null, tokens)
      tokens.pop()
    }
  }
  visit(body, [])
  return path
}

/** Returns a copy of a part with another list at a path. A copied container keeps its marks. */
function replaceList(value: Json, [token, ...rest]: readonly string[], list: Json[], marks: CutMarks): Json {
  let copy: Json = list
  if (token !== undefined) {
    const inner = replaceList(valueAtTokens(value, [token]) ?? null, rest, list, marks)
    copy = Array.isArray(value) ? value.with(Number(token), inner) : { ...(value as JsonObject), [token]: inner }
  }
  const whole = marks.cut.get(value)
  if (whole !== undefined) marks.cut.set(copy, whole)
  if (marks.around.has(value)) marks.around.add(copy)
  return copy
}
