import { toFragment } from '../../base/core/json-pointer.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import type { PrecompiledSource } from '../../base/documents/precompiled.ts'

/**
 * The use of a value: requests need no `readOnly` properties, and responses no `writeOnly` ones; simulated responses
 * also follow `x-simulated-values`. A use without its own validators shares those of the next.
 */
const USES = ['simulated', 'response', 'request'] as const
export type Use = (typeof USES)[number]

export interface Compiler {
  /** True if an operation gets its validators when first used; false if at load, for checks and for the build. */
  readonly lazy: boolean
  getValidator(pointer: string, use: Use): Validator
}

/** Returns the key of a precompiled validator: `request#/components/schemas/Error`. */
export const keyOf = (pointer: string, use: Use): string => use + toFragment(pointer)

/** Creates a compiler that compiles nothing. */
export function createPrecompiledCompiler({ validators }: PrecompiledSource): Compiler {
  return {
    lazy: true,
    getValidator(pointer, use) {
      const keys = USES.slice(USES.indexOf(use)).map((one) => keyOf(pointer, one))
      const found = keys.map((key) => validators[key]).find((validator) => validator !== undefined)
      if (found === undefined) throw new Error(`the build has not precompiled the validator of ${pointer}`)
      return found
    },
  }
}
