import type { Json, JsonObject } from '../../../base/core/json.ts'
import { parsePointer, valueAtTokens } from '../../../base/core/json-pointer.ts'
import type { Violation } from '../../../base/core/violation.ts'

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
export function checkInParts(body: Json, check: (part: Json) => Violation[]): BodyCheck {
  const broken: PlacedViolation[] = []
  const parts = [body]
  let isComplete = true
  for (let count = 0; parts.length > 0; count += 1) {
    const part = parts.shift() as Json // the condition of the loop
    if (count === maxParts) return { broken, isComplete: false }
    const violations = check(part)
    const ignored = part === body ? endKeywords : [...endKeywords, ...countKeywords]
    const own = violations.filter(({ keyword }) => !ignored.includes(keyword))
    broken.push(...own.map((violation) => ({ violation, part })))
    if (!violations.some(({ keyword }) => endKeywords.includes(keyword))) continue
    const halves = halveList(part, violations)
    if (halves.length === 0) isComplete = false
    parts.push(...halves)
  }
  return { broken, isComplete }
}

/** The keywords of violations that stand for the end of a check: after many errors, and after a time. */
const endKeywords = ['more', 'timeout']

/** Returns a part of a body with the first half of a list, and with the second; none without a list to halve. */
function halveList(part: Json, violations: readonly Violation[]): Json[] {
  const path = findListWithErrors(part, violations)
  const list = path && valueAtTokens(part, path)
  if (!path || !Array.isArray(list)) return []
  const middle = Math.ceil(list.length / 2)
  return [list.slice(0, middle), list.slice(middle)].map((half) => replaceList(part, path, half))
}

/** Returns the path of the longest list of two items or more that has broken rules in it, if any. */
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

/** Returns a copy of a part with another list at a path. */
function replaceList(value: Json, [token, ...rest]: readonly string[], list: Json[]): Json {
  if (token === undefined) return list
  const inner = replaceList(valueAtTokens(value, [token]) ?? null, rest, list)
  return Array.isArray(value) ? value.with(Number(token), inner) : { ...(value as JsonObject), [token]: inner }
}
