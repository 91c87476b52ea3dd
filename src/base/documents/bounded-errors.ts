import { _, type KeywordCxt, Name } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { resetErrorsCount } from 'ajv/dist/compile/errors.js'
import { MAX_ERRORS } from './violations.ts'

/** The variable of the generated code that counts the errors so far. */
const errorCount = new Name('errors')

/** The keywords that check every item or member: once a loop has collected errors, the value is invalid. */
const CHECKING_LOOPS = [
  'items',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const

type CodeGen = KeywordCxt['gen']

/** Writes the code at the end of an iteration; `before` has the number of errors before the loop. */
type EndOfIteration = (gen: CodeGen, before: Name) => void

/**
 * Bounds the errors that validators collect. With `allErrors` ajv appends the errors of a referenced schema to a copy
 * of all errors before them: a list of 450,000 wrong items behind a `$ref` takes hours. ajv has no bound, so this adds
 * one to its generated code: a loop ends after `MAX_ERRORS` errors, and `contains` drops the errors of each item.
 */
export function boundErrors(ajv: Ajv2020): void {
  for (const keyword of CHECKING_LOOPS) {
    endIterations(ajv, keyword, (gen, before) =>
      gen.if(_`${errorCount} - ${before} >= ${MAX_ERRORS}`, () => gen.break()),
    )
  }
  // Its loop ends at an item that fits, so it cannot end at errors.
  endIterations(ajv, 'contains', resetErrorsCount)
}

/** Adds code to the end of each iteration of the loops that a keyword generates. */
function endIterations(ajv: Ajv2020, keyword: string, end: EndOfIteration): void {
  const rule = ajv.RULES.all[keyword]
  if (typeof rule !== 'object' || !('code' in rule.definition)) throw new Error(`ajv has no keyword ${keyword}`)
  const { definition } = rule
  const generate: typeof definition.code = (cxt, type) => generateLoops(cxt, end, () => definition.code(cxt, type))
  // Replaced in place: an added keyword would come last, after those that depend on it.
  Object.assign(rule, { definition: { ...definition, code: generate } })
}

/** Runs `generate`, whose loops end with the code of `end`; those of the schemas within them stay as they are. */
function generateLoops({ gen }: KeywordCxt, end: EndOfIteration, generate: () => void): void {
  const { forRange, forIn } = gen
  const before = gen.const('errorsBefore', errorCount)
  const own = (body: (name: Name) => void) => (name: Name) => {
    Object.assign(gen, { forRange, forIn })
    body(name)
    end(gen, before)
    Object.assign(gen, bounded)
  }
  const bounded: Pick<CodeGen, 'forRange' | 'forIn'> = {
    forRange: (name, from, to, body, ...kind) => forRange.call(gen, name, from, to, own(body), ...kind),
    forIn: (name, value, body, ...kind) => forIn.call(gen, name, value, own(body), ...kind),
  }
  Object.assign(gen, bounded)
  generate()
  Object.assign(gen, { forRange, forIn })
}
