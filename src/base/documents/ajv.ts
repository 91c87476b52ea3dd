import { _, type ErrorObject, type KeywordCxt, Name, type Options, type SchemaValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { resetErrorsCount } from 'ajv/dist/compile/errors.js'
import formats from 'ajv-formats'
import { isMultiple } from '../core/decimal.ts'
import { canonicalJson, type Json } from '../core/json.ts'
import { OWN_FORMATS } from './formats.ts'
import { MAX_ERRORS } from './violations.ts'

export type Validator = ((value: unknown) => boolean) & { errors?: ErrorObject[] | null }

/** Creates an ajv instance for JSON Schema 2020-12 that reports errors up to a limit and passes warnings to `warn`. */
export function createAjv(warn: (message: string) => void, options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: 'log',
    // Union types and required members without a schema are common in OpenAPI 3.1, and rarely a mistake.
    allowUnionTypes: true,
    strictRequired: false,
    // Callers check each schema against the meta-schema, because they know the schema's location.
    validateSchema: false,
    // Inlining a shared schema at each reference would only delay startup.
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

/** The variable in the generated code that counts the errors so far. */
const errorCount = new Name('errors')

/** Keywords that loop over all items or members. An error makes the value invalid, so the loop can stop early. */
const LOOPING_KEYWORDS = [
  'items',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const

type CodeGen = KeywordCxt['gen']
type KeywordCode = (cxt: KeywordCxt, type?: string) => void

/** Generates the code at the end of an iteration; `before` holds the number of errors before the loop. */
type EndOfIteration = (gen: CodeGen, before: Name) => void

/**
 * Limits the errors that validators collect. With `allErrors`, ajv copies all earlier errors to append the errors
 * of a referenced schema, so checking 450,000 invalid items against a `$ref` takes hours. ajv has no limit, so this
 * function adds one to the generated code: loops stop after `MAX_ERRORS` errors, and `contains` drops items' errors.
 */
function boundErrors(ajv: Ajv2020): void {
  for (const keyword of LOOPING_KEYWORDS) {
    appendToIterations(ajv, keyword, (gen, before) =>
      gen.if(_`${errorCount} - ${before} >= ${MAX_ERRORS}`, () => gen.break()),
    )
  }
  // `contains` allows invalid items, so errors must not end its loop.
  appendToIterations(ajv, 'contains', resetErrorsCount)
}

const appendToIterations = (ajv: Ajv2020, keyword: string, end: EndOfIteration) =>
  changeCode(ajv, keyword, (code) => (cxt, type) => generateLoops(cxt, end, () => code(cxt, type)))

function changeCode(ajv: Ajv2020, keyword: string, change: (code: KeywordCode) => KeywordCode): void {
  const rule = ajv.RULES.all[keyword]
  if (typeof rule !== 'object' || !('code' in rule.definition)) throw new Error(`ajv has no keyword ${keyword}`)
  const { definition } = rule
  // The rule is replaced in place, since a newly added keyword would run last, after the keywords that depend on it.
  Object.assign(rule, { definition: { ...definition, code: change(definition.code) } })
}

/** Runs `generate` and adds the code of `end` to each iteration of the generated loops, except in nested schemas. */
function generateLoops({ gen }: KeywordCxt, end: EndOfIteration, generate: () => void): void {
  const { forRange, forIn } = gen
  const before = gen.const('errorsBefore', errorCount)
  const addEnd = (body: (name: Name) => void) => (name: Name) => {
    Object.assign(gen, { forRange, forIn })
    body(name)
    end(gen, before)
    Object.assign(gen, patched)
  }
  const patched: Pick<CodeGen, 'forRange' | 'forIn'> = {
    forRange: (name, from, to, body, ...kind) => forRange.call(gen, name, from, to, addEnd(body), ...kind),
    forIn: (name, value, body, ...kind) => forIn.call(gen, name, value, addEnd(body), ...kind),
  }
  Object.assign(gen, patched)
  generate()
  Object.assign(gen, { forRange, forIn })
}

/**
 * Replaces ajv's `uniqueItems`, which takes a minute for 20,000 objects, with a linear-time check. The check has no
 * code for standalone validators, so a precompiled document cannot use the keyword.
 */
function addLinearUniqueItems(ajv: Ajv2020): void {
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', errors: true, validate: checkUnique })
}

const checkUnique: SchemaValidateFunction = (mustBeUnique: boolean, items: readonly Json[]) => {
  const duplicate = mustBeUnique ? findDuplicate(items) : undefined
  if (duplicate) checkUnique.errors = [{ keyword: 'uniqueItems', params: duplicate }]
  return duplicate === undefined
}

/** Returns the index `i` of the first duplicate, if any, and the index `j` of the equal item before it. */
function findDuplicate(items: readonly Json[]): { readonly i: number; readonly j: number } | undefined {
  const indexes = new Map<string, number>()
  for (const [i, item] of items.entries()) {
    // The space is needed because V8 hashes a string of digits by its value, so a client could make all keys collide.
    const key = ` ${canonicalJson(item)}`
    const j = indexes.get(key)
    if (j !== undefined) return { i, j }
    indexes.set(key, i)
  }
  return undefined
}

/** Replaces ajv's `multipleOf`, which divides floating-point numbers and so rejects 19.99 if the divisor is 0.01. */
function addDecimalMultipleOf(ajv: Ajv2020): void {
  changeCode(ajv, 'multipleOf', () => (cxt) => {
    // The generated module of precompiled validators imports the function under this name.
    const check = cxt.gen.scopeValue('func', { ref: isMultiple, code: _`isMultiple` })
    cxt.fail(_`!${check}(${cxt.data}, ${cxt.schemaCode})`)
  })
}
