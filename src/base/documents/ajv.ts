import { _, type ErrorObject, type KeywordCxt, Name, type Options, type SchemaValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { resetErrorsCount } from 'ajv/dist/compile/errors.js'
import formats from 'ajv-formats'
import { isMultiple } from '../core/decimal.ts'
import { canonicalJson, type Json } from '../core/json.ts'
import { OWN_FORMATS } from './formats.ts'
import { MAX_ERRORS } from './violations.ts'

export type Validator = ((value: unknown) => boolean) & { errors?: ErrorObject[] | null }

/** Creates a JSON Schema 2020-12 validator that reports every error; `warn` gets a message on questionable parts. */
export function createAjv(warn: (message: string) => void, options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: 'log',
    // Union types and required members without a schema are common in OpenAPI 3.1, and no sign of a mistake.
    allowUnionTypes: true,
    strictRequired: false,
    // Callers check schemas against the meta-schema one by one, because they know the places.
    validateSchema: false,
    // A copy of each shared schema at each reference would only delay the start.
    inlineRefs: false,
    logger: { log: warn, warn, error: warn },
    ...options,
  })
  formats.default(ajv)
  for (const [name, format] of Object.entries(OWN_FORMATS)) ajv.addFormat(name, format)
  boundErrors(ajv)
  addLinearUniqueItems(ajv)
  addDecimalMultipleOf(ajv)
  return ajv
}

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
type KeywordCode = (cxt: KeywordCxt, type?: string) => void

/** Writes the code at the end of an iteration; `before` has the number of errors before the loop. */
type EndOfIteration = (gen: CodeGen, before: Name) => void

/**
 * Bounds the errors that validators collect. With `allErrors` ajv appends the errors of a referenced schema to a copy
 * of all errors before them: a list of 450,000 wrong items behind a `$ref` takes hours. ajv has no bound, so this adds
 * one to its generated code: a loop ends after `MAX_ERRORS` errors, and `contains` drops the errors of each item.
 */
function boundErrors(ajv: Ajv2020): void {
  for (const keyword of CHECKING_LOOPS) {
    endIterations(ajv, keyword, (gen, before) =>
      gen.if(_`${errorCount} - ${before} >= ${MAX_ERRORS}`, () => gen.break()),
    )
  }
  // Its loop ends at an item that fits, so it cannot end at errors.
  endIterations(ajv, 'contains', resetErrorsCount)
}

const endIterations = (ajv: Ajv2020, keyword: string, end: EndOfIteration) =>
  changeCode(ajv, keyword, (code) => (cxt, type) => generateLoops(cxt, end, () => code(cxt, type)))

function changeCode(ajv: Ajv2020, keyword: string, change: (code: KeywordCode) => KeywordCode): void {
  const rule = ajv.RULES.all[keyword]
  if (typeof rule !== 'object' || !('code' in rule.definition)) throw new Error(`ajv has no keyword ${keyword}`)
  const { definition } = rule
  // Replaced in place: an added keyword would come last, after those that depend on it.
  Object.assign(rule, { definition: { ...definition, code: change(definition.code) } })
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

/**
 * Replaces ajv's check of `uniqueItems`, with which 20,000 objects take a minute, by one that takes linear time. It has
 * no code for standalone validators, so a precompiled document cannot have the keyword.
 */
function addLinearUniqueItems(ajv: Ajv2020): void {
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', errors: true, validate })
}

const validate: SchemaValidateFunction = (isUnique: boolean, items: readonly Json[]) => {
  const repeated = isUnique ? findRepeated(items) : undefined
  if (repeated) validate.errors = [{ keyword: 'uniqueItems', params: repeated }]
  return repeated === undefined
}

/** Returns the indexes of the first item that repeats an earlier one, `i`, and of the earlier one, `j`. */
function findRepeated(items: readonly Json[]): { readonly i: number; readonly j: number } | undefined {
  const indexes = new Map<string, number>()
  for (const [i, item] of items.entries()) {
    // A text of digits alone would have its own value as hash, so that a client could make all of them collide.
    const key = ` ${canonicalJson(item)}`
    const j = indexes.get(key)
    if (j !== undefined) return { i, j }
    indexes.set(key, i)
  }
  return undefined
}

/** Replaces ajv's check of `multipleOf`, which divides binary fractions: it refuses 19.99 as a multiple of 0.01. */
function addDecimalMultipleOf(ajv: Ajv2020): void {
  changeCode(ajv, 'multipleOf', () => (cxt) => {
    // The build's module of precompiled validators imports the function by this name.
    const check = cxt.gen.scopeValue('func', { ref: isMultiple, code: _`isMultiple` })
    cxt.fail(_`!${check}(${cxt.data}, ${cxt.schemaCode})`)
  })
}
