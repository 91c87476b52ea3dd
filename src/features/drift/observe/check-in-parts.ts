import type { Json, JsonObject } from '../../../base/core/json.ts'
import { parsePointer, valueAtTokens } from '../../../base/core/json-pointer.ts'
import type { Violation } from '../../../base/core/violation.ts'

/** A broken rule, with the part of the body that its pointer leads into. */
interface PlacedViolation {
  readonly violation: Violation
  readonly part: Json
}

interface BodyCheck {
  readonly broken: readonly PlacedViolation[]
  /** Is false if the check stopped at its bound, so that the body may break other rules. */
  readonly isComplete: boolean
}

/** The most parts of a body that are checked: each finds up to 100 broken rules. */
const maxParts = 500

/** The rules about the number of items, which a part of a list does not keep. */
const countKeywords = ['minItems', 'maxItems', 'uniqueItems', 'contains']

/** The keywords of violations that stand for the end of a check: after many errors, and after a time. */
const endKeywords = ['more', 'timeout']

/**
 * Checks a body. A check stops after 100 errors; then the longest list with errors is checked in two halves, all halves
 * before their own ones, so that the parts are spread over the whole list where they are too many.
 */
export function checkInParts(body: Json, check: (part: Json) => Violation[]): BodyCheck {
  const broken: PlacedViolation[] = []
  const parts = [body]
  let isComplete = true
  // Halves that are added meanwhile are checked, too.
  for (const [index, part] of parts.entries()) {
    if (index === maxParts) return { broken, isComplete: false }
    const violations = check(part)
    const ignored = index === 0 ? endKeywords : [...endKeywords, ...countKeywords]
    const own = violations.filter(({ keyword }) => !ignored.includes(keyword))
    broken.push(...own.map((violation) => ({ violation, part })))
    if (!violations.some(({ keyword }) => endKeywords.includes(keyword))) continue
    const halves = halveLongestList(part, own)
    if (halves.length === 0) isComplete = false
    parts.push(...halves)
  }
  return { broken, isComplete }
}

/** Returns a part of a body with each half of its longest list with errors; none without a list of two items. */
function halveLongestList(part: Json, violations: readonly Violation[]): Json[] {
  let longest: { readonly path: readonly string[]; readonly list: Json[] } | undefined
  for (const { pointer } of violations) {
    const tokens = parsePointer(pointer)
    for (const count of tokens.keys()) {
      const path = tokens.slice(0, count)
      const list = valueAtTokens(part, path)
      if (Array.isArray(list) && list.length > (longest?.list.length ?? 1)) longest = { path, list }
    }
  }
  if (!longest) return []
  const { path, list } = longest
  const middle = Math.ceil(list.length / 2)
  return [list.slice(0, middle), list.slice(middle)].map((half) => replaceList(part, path, half))
}

function replaceList(value: Json, [token, ...rest]: readonly string[], list: Json[]): Json {
  if (token === undefined) return list
  const inner = replaceList(valueAtTokens(value, [token]) ?? null, rest, list)
  return Array.isArray(value) ? value.with(Number(token), inner) : { ...(value as JsonObject), [token]: inner }
}
