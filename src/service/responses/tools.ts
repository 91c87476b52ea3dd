import type { Json, JsonObject } from '../../base/core/json.ts'
import { runWithTimeout, TIMEOUT } from '../../base/core/limit-time.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import { generate } from './generate.ts'
import type { Tools } from './leaf.ts'

/** Returns a value for a schema, or undefined if none is found. If `countErrors` finds errors, tries once more. */
export type MakeValue = (schema: Json, countErrors?: (value: Json) => number) => Promise<Json | undefined>

/** The time limit for a pattern, in milliseconds. Neither the regex engine nor fast-check has its own limit. */
const maxPatternMs = 100

/** Strings to try if no printable ASCII text matches a pattern. fast-check generates only printable ASCII. */
const otherStrings = ['é', 'éé', 'éàü', '日本語', '\n', '\t', '😀']

/** Loads fast-check and returns a function that makes values. The code that checks values is loaded on first use. */
export async function createValueMaker(document: JsonObject): Promise<MakeValue> {
  const { sample, stringMatching } = await import('fast-check')
  const matchText: Tools['matchText'] = (pattern, seed) =>
    tryFlags(pattern, (expression) => {
      // fast-check does not support lookarounds or word boundaries, so strings are generated without them, then tested.
      const plain = pattern.replace(/\(\?<?[=!][^()]*\)|\\[bB]/g, '')
      const source = new RegExp(plain, expression.flags)
      // fast-check lists all characters of a class such as \p{L}, which takes hundreds of milliseconds.
      const ms = /\\p\{/i.test(pattern) ? 10 * maxPatternMs : maxPatternMs
      const find = (list: () => readonly string[]) =>
        runWithTimeout(ms, () => list().find((text) => expression.test(text)))?.value
      const sampled = () => sample(stringMatching(source, { size: 'xsmall' }), { seed, numRuns: 20 })
      return find(sampled) ?? find(() => otherStrings)
    })
  const isMatch = (pattern: string, text: string) =>
    tryFlags(pattern, (expression) => runWithTimeout(maxPatternMs, () => expression.test(text))?.value) ?? false
  return async (schema, countErrors = () => 0) => {
    const first = generate(document, schema, { matchText, isMatch })
    const errors = first === undefined ? Number.POSITIVE_INFINITY : countErrors(first)
    if (errors === 0) return first
    const second = generate(document, schema, { matchText, isMatch, isValid: await createCheck(document) })
    return second !== undefined && countErrors(second) < errors ? second : first
  }
}

/** Returns the result of `use` for a pattern with the `u` flag, or else without it; undefined if neither works. */
function tryFlags<T>(pattern: string, use: (expression: RegExp) => T | undefined): T | undefined {
  for (const flags of ['u', '']) {
    try {
      const result = use(new RegExp(pattern, flags))
      if (result !== undefined) return result
    } catch {
      // not a regular expression with these flags, or not supported by fast-check
    }
  }
  return undefined
}

async function createCheck(document: JsonObject): Promise<NonNullable<Tools['isValid']>> {
  const compile = (await import('../contract/ajv-compiler.ts')).createPartCompiler(document)
  const validators = new Map<string, Validator | undefined>()
  return (schema, value) => {
    const key = JSON.stringify(schema)
    if (!validators.has(key)) validators.set(key, compile(schema))
    const validate = validators.get(key)
    const isValid = validate?.(value) ?? true
    if (validate?.errors?.[0]?.keyword !== TIMEOUT) return isValid
    validators.set(key, undefined) // after a timeout, values for this schema are no longer checked
    return true
  }
}
