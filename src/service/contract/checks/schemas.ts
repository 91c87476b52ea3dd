import type { Ajv2020 } from 'ajv/dist/2020.js'
import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { Violation } from '../../../base/core/violation.ts'
import { OPENAPI_KEYWORDS } from '../../../base/documents/ajv.ts'
import { toViolations } from '../../../base/documents/violations.ts'
import { simulatedValues } from '../simulated-values.ts'
import { type DocumentNode, walk } from '../walk.ts'
import { checkDialect } from './dialect.ts'
import { type DocumentFault, error, warning } from './fault.ts'

/**
 * Checks the document's schemas without compiling them, so that each finding has its exact place. Violations of the
 * meta-schema and patterns that are no regular expression are errors; unknown keywords and formats are warnings.
 */
export function checkSchemas(document: JsonObject, ajv: Ajv2020): DocumentFault[] {
  const schemas = [...walk(document)].filter(({ kind }) => kind === 'schema')
  return [
    ...findOutermost(schemas).flatMap((schema) => checkAgainstMetaSchema(schema, ajv)),
    ...schemas.flatMap((schema) => [...checkKeywords(schema, ajv)]),
  ]
}

/** Returns the schemas that are not part of another schema: the meta-schema checks nested schemas itself. */
function findOutermost(schemas: readonly DocumentNode[]): DocumentNode[] {
  let last = '\0' // no pointer begins with it
  return schemas.filter(({ pointer }) => {
    if (pointer.startsWith(`${last}/`)) return false
    last = pointer
    return true
  })
}

function checkAgainstMetaSchema({ pointer, value }: DocumentNode, ajv: Ajv2020): DocumentFault[] {
  if (ajv.validate(META_SCHEMA, value)) return []
  return toViolations(ajv.errors, 'body', pointer).map((violation) =>
    error(violation.pointer, `is not valid in a schema: ${describeViolation(violation)}`),
  )
}

/** The dialect of all schemas, whatever their `$schema` says. */
const META_SCHEMA = 'https://json-schema.org/draft/2020-12/schema'

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

/** Returns the sentence of a finding, which for an unknown type names the known ones. */
function describeViolation({ pointer, keyword, message }: Violation): string {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1)
  return name === 'type' && keyword === 'anyOf'
    ? `"type" must be one of ${TYPES.join(', ')}, or a list of some of them`
    : `"${name}" ${message}`
}

function* checkKeywords({ pointer, value }: DocumentNode, ajv: Ajv2020): Generator<DocumentFault> {
  const { [simulatedValues]: narrower, $schema: dialect, format, pattern } = value
  const at = (member: string) => joinPointer(pointer, member)
  if (narrower !== undefined && !(isObject(narrower) && ajv.validate(META_SCHEMA, narrower)))
    yield error(at(simulatedValues), 'must be a JSON schema with the narrower rules, such as {maximum: 1}')
  yield* checkDialect(at('$schema'), dialect)
  for (const keyword of Object.keys(value))
    if (!keyword.startsWith('x-') && !isKnownKeyword(ajv, keyword))
      yield warning(at(keyword), `"${keyword}" is not a keyword of JSON Schema 2020-12 and has no effect`)
  if (typeof format === 'string' && !ajv.formats[format])
    yield warning(at('format'), `the format "${format}" is not known and not checked`)
  if (typeof pattern === 'string' && !isPattern(pattern))
    yield error(at('pattern'), `"${pattern}" is not a regular expression`)
}

function isKnownKeyword(ajv: Ajv2020, keyword: string): boolean {
  return Object.hasOwn(ajv.RULES.keywords, keyword) || OPENAPI_KEYWORDS.some((openapi) => openapi === keyword)
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

/** Makes ajv accept the keywords and formats that `checkSchemas` has reported, so that each is reported once. */
export function allowUnknownKeywords(document: JsonObject, ajv: Ajv2020): void {
  for (const { kind, value } of walk(document)) {
    // The document itself is added as a schema, so that its schemas can refer to each other.
    if (kind === 'schema' || kind === 'document') addKeywords(Object.keys(value), ajv)
    const format = kind === 'schema' ? value.format : undefined
    if (typeof format === 'string' && !ajv.formats[format]) ajv.addFormat(format, true)
  }
}

/** Adds those of the keywords to ajv that it does not know. */
function addKeywords(keywords: readonly string[], ajv: Ajv2020): void {
  for (const keyword of keywords) {
    // ajv refuses to add a keyword with another name, and so reports that keyword a second time.
    if (!isKnownKeyword(ajv, keyword) && /^[a-z_$][\w$:-]*$/i.test(keyword)) ajv.addKeyword(keyword)
  }
}
