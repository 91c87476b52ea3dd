import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer, parsePointer } from '../../../base/core/json-pointer.ts'
import { toViolations } from '../../../base/documents/violations.ts'
import type { Compiler } from '../compiler.ts'
import { isJson } from '../media-types.ts'
import { readExamples, resolveSchema } from '../resolve.ts'
import { simulatedValues } from '../simulated-values.ts'
import { type DocumentNode, listSchemas, walk } from '../walk.ts'
import { type DocumentFlaw, warning } from './flaw.ts'

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

type Test = (value: Json) => boolean

const isString: Test = (value) => typeof value === 'string'
const isSchema: Test = (value) => typeof value === 'boolean' || isObject(value)
const listOf = (isItem: Test, minLength: number) => (value: Json) =>
  Array.isArray(value) && value.length >= minLength && value.every(isItem)
const mapOf =
  (isMember: Test, isName: Test = isString) =>
  (value: Json) =>
    isObject(value) && Object.values(value).every(isMember) && Object.keys(value).every(isName)
const isPattern: Test = (value) => parsePattern(String(value)) !== undefined
const isTypeList: Test = (value) => listOf((name) => TYPES.includes(String(name)), 1)([value].flat())
const isCount: Test = (value) => Number.isInteger(value) && Number(value) >= 0

/** The keywords of JSON Schema 2020-12 that validators use, each with a description of its valid values and a test. */
const RULES = new Map(
  (
    [
      ['$ref const default', 'any value', () => true],
      ['type', `one of ${TYPES.join(', ')}, or a list of these types`, isTypeList],
      ['enum', 'a non-empty list of values', listOf(() => true, 1)],
      ['minimum maximum exclusiveMinimum exclusiveMaximum', 'a number', Number.isFinite],
      ['multipleOf', 'a number greater than 0', (value) => Number.isFinite(value) && Number(value) > 0],
      ['minLength maxLength minItems maxItems', 'a non-negative integer', isCount],
      ['minContains maxContains minProperties maxProperties', 'a non-negative integer', isCount],
      ['uniqueItems', 'true or false', (value) => typeof value === 'boolean'],
      ['format', 'a string', isString],
      ['pattern', 'a regular expression', (value) => isString(value) && isPattern(value)],
      ['required', 'a list of names', listOf(isString, 0)],
      ['dependentRequired', 'a map from names to lists of names', mapOf(listOf(isString, 0))],
      ['properties dependentSchemas $defs', 'a map from names to schemas', mapOf(isSchema)],
      ['patternProperties', 'a map from regular expressions to schemas', mapOf(isSchema, isPattern)],
      ['allOf anyOf oneOf prefixItems', 'a non-empty list of schemas', listOf(isSchema, 1)],
      ['items contains additionalProperties propertyNames not if then else', 'a schema', isSchema],
      ['unevaluatedItems unevaluatedProperties contentSchema', 'a schema', isSchema],
    ] satisfies [names: string, expected: string, isValid: Test][]
  ).flatMap(([names, expected, isValid]) => names.split(' ').map((name) => [name, { expected, isValid }] as const)),
)

const ANNOTATIONS =
  `$id $schema $anchor $dynamicAnchor $dynamicRef $vocabulary $comment title description deprecated readOnly writeOnly
  examples contentEncoding contentMediaType discriminator xml externalDocs example`.split(/\s+/)

/** Returns true for a validation keyword with a valid value. Validators ignore all other members of a schema. */
export const isChecked = (keyword: string, value: Json): boolean => RULES.get(keyword)?.isValid(value) ?? false

/** Compiles a pattern with the flag `u`, or else `v`, or else no flag. Returns undefined if all three attempts fail. */
export function parsePattern(pattern: string): RegExp | undefined {
  for (const flag of ['u', 'v', '']) {
    try {
      return new RegExp(pattern, flag)
    } catch {} // the next attempt may succeed
  }
  return undefined
}

export function* checkSchemas(document: JsonObject, isFormat: (name: string) => boolean): Generator<DocumentFlaw> {
  for (const { pointer, value: schema } of listSchemas(document))
    for (const [keyword, value] of Object.entries(schema)) {
      const message = findProblem(keyword, value, isFormat)
      if (message !== undefined) yield warning(joinPointer(pointer, keyword), message)
    }
}

function findProblem(keyword: string, value: Json, isFormat: (name: string) => boolean): string | undefined {
  if (keyword === simulatedValues) {
    const isValid = isObject(value) && Object.entries(value).every(([name, rule]) => isChecked(name, rule))
    return isValid ? undefined : 'must be an object of validation keywords with valid values, such as {maximum: 1}'
  }
  if (keyword.startsWith('x-') || ANNOTATIONS.includes(keyword)) return undefined
  const rule = RULES.get(keyword)
  if (!rule) return `"${keyword}" is not a keyword of JSON Schema 2020-12 and has no effect`
  if (!rule.isValid(value)) return `"${keyword}" is ignored; it must be ${rule.expected}`
  if (keyword === 'format' && !isFormat(String(value))) return `the format "${value}" is unknown and not checked`
  return undefined
}

/** Checks a document against OpenAPI's schema for the document's version. Startup skips this check to save 170 ms. */
export async function checkStructure(document: JsonObject): Promise<DocumentFlaw[]> {
  const { Validator } = await import('@seriousme/openapi-schema-validator')
  const validator = new Validator({ allErrors: true, verbose: true })
  const { errors } = await validator.validate(structuredClone(document))
  // If references are broken, `errors` is a string; `removeBrokenReferences` reports these references.
  const violations = Array.isArray(errors) ? toViolations(errors, 'body') : []
  // An invalid member also makes its siblings unevaluated; violations that only report this are dropped.
  const parentOf = (pointer: string) => pointer.slice(0, pointer.lastIndexOf('/'))
  const isUnevaluated = ({ keyword }: { readonly keyword: string }) => keyword === 'unevaluatedProperties'
  const explainedParents = violations.filter((each) => !isUnevaluated(each)).map(({ pointer }) => parentOf(pointer))
  const version = String(document.openapi ?? document.swagger).slice(0, 3)
  return violations.flatMap((violation) => {
    if (isUnevaluated(violation) && explainedParents.includes(parentOf(violation.pointer))) return []
    const message = `is not valid OpenAPI ${version}: ${violation.pointer || 'the document'} ${violation.message}`
    return [warning(violation.pointer, message)]
  })
}

/** Warns about every JSON example that does not match its schema, because developers base clients on examples. */
export function checkExamples(document: JsonObject, compiler: Compiler): DocumentFlaw[] {
  return [...walk(document)].filter(hasJsonExamples).flatMap((node) => {
    const schema = resolveSchema(document, joinPointer(node.pointer, 'schema'))
    if (schema === undefined) return []
    const isResponse = node.pointer.includes('/responses/') || node.kind === 'header'
    const validate = compiler.getValidator(schema.pointer, isResponse ? 'response' : 'request')
    return readExamples(document, node.pointer).flatMap((example) => {
      if (validate(example.value)) return []
      return toViolations(validate.errors, 'body', example.pointer).map(({ pointer, message }) => {
        const member = pointer.slice(example.pointer.length) || 'it'
        return warning(pointer, `the example "${example.name}" does not match its schema: ${member} ${message}`)
      })
    })
  })
}

/** Returns true for a node whose examples are JSON values; `text/csv` and form examples have a different syntax. */
function hasJsonExamples({ kind, pointer, value }: DocumentNode): boolean {
  if (value.$ref !== undefined) return false
  if (kind === 'mediaType') return isJson(parsePointer(pointer).at(-1) ?? '')
  return kind === 'parameter' || kind === 'header'
}
