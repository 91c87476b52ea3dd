import type { Json } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import type { Fault } from '../core/violation.ts'

/** The deepest accepted nesting of a file, in levels, which saves the stack of functions that recurse into values. */
export const MAX_LEVELS = 200

/** The largest number of values of a file. An alias of YAML counts as often as it is used. */
export const MAX_VALUES = 1_000_000

/** Finds the first reason why a value is no JSON tree of usable size: aliases of YAML can write values without end. */
export function findTreeFault(root: Json): Fault | undefined {
  return findFault(root, '', { count: 0, around: [] })
}

/** `passed`: the number of values so far, and the objects and lists around the present one. */
function findFault(value: Json, pointer: string, passed: { count: number; around: object[] }): Fault | undefined {
  passed.count += 1
  if (passed.count > MAX_VALUES) return { pointer, message: `is too large: a file has at most ${MAX_VALUES} values` }
  if (typeof value !== 'object' || value === null) return undefined
  const message = findNestingProblem(value, passed.around)
  if (message !== undefined) return { pointer, message }
  passed.around.push(value)
  for (const [name, member] of Object.entries(value)) {
    const at = joinPointer(pointer, name)
    const fault = name === '__proto__' ? { pointer: at, message: NO_PROTO } : findFault(member, at, passed)
    if (fault) return fault
  }
  passed.around.pop()
  return undefined
}

const NO_PROTO = '"__proto__" is not allowed as a member name: programs take it for something else'

function findNestingProblem(value: object, around: readonly object[]): string | undefined {
  if (around.includes(value)) return 'contains itself, by an alias'
  return around.length === MAX_LEVELS ? `is nested deeper than ${MAX_LEVELS} levels` : undefined
}
