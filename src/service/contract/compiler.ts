import { toFragment } from '../../base/core/json-pointer.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import type { PrecompiledSource } from '../../base/documents/precompiled.ts'

/**
 * How a value is used. Requests may omit `readOnly` properties, and responses may omit `writeOnly` properties, even if
 * they are required. Simulated responses must also follow `x-simulated-values`. A use without its own validator for a
 * schema shares the validator of the next use in this list.
 */
const USES = ['simulated', 'response', 'request'] as const
export type Use = (typeof USES)[number]

export interface Compiler {
  /** True if validators are created on first use; false for checks and the build, which need all validators. */
  readonly lazy: boolean
  getValidator(pointer: string, use: Use): Validator
}

/** Returns the key of a precompiled validator, such as `request#/components/schemas/Error`. */
export const keyOf = (pointer: string, use: Use): string => use + toFragment(pointer)

export function createPrecompiledCompiler({ validators }: PrecompiledSource): Compiler {
  return {
    lazy: true,
    getValidator(pointer, use) {
      const keys = USES.slice(USES.indexOf(use)).map((candidate) => keyOf(pointer, candidate))
      const found = keys.map((key) => validators[key]).find((validator) => validator !== undefined)
      if (found === undefined) throw new Error(`the build has not precompiled the validator for ${pointer}`)
      return found
    },
  }
}
