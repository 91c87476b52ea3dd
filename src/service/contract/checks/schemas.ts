import type { Ajv2020 } from 'ajv/dist/2020.js'
import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { Violation } from '../../../base/core/violation.ts'
import { OPENAPI_KEYWORDS } from '../../../base/documents/ajv.ts'
import { toViolations } from '../../../base/documents/violations.ts'
import { simulatedValues } from '../simulated-values.ts'
import { type DocumentNode, walk } from '../walk.ts'
import { type DocumentFault, error, warning } from './fault.ts'

/** The dialect of all schemas, whatever their `$schema` says. */
const META_SCHEMA = 'https://json-schema.org/draft/2020-12/schema'

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

/**
 * Checks the document's schemas without compiling them, so that each finding has its exact place. Violations of the
 * meta-schema and patterns that are no regular expression are errors; unknown keywords and formats are warnings.
 */
export function* checkSchemas(document: JsonObject, ajv: Ajv2020): Generator<DocumentFault> {
  let outermost = '\0' // no pointer begins with it
  for (const node of walk(document)) {
    if (node.kind !== 'schema') continue
    // The meta-schema checks nested schemas itself.
    if (!node.pointer.startsWith(`${outermost}/`)) {
      outermost = node.pointer
      yield* checkAgainstMetaSchema(node, ajv)
    }
    yield* checkKeywords(node, ajv)
  }
}

function checkAgainstMetaSchema({ pointer, value }: DocumentNode, ajv: Ajv2020): DocumentFault[] {
  if (ajv.validate(META_SCHEMA, value)) return []
  return toViolations(ajv.errors, 'body', pointer).map((violation) =>
    error(violation.pointer, `is not valid in a schema: ${describeViolation(violation)}`),
  )
}

function describeViolation({ pointer, keyword, message }: Violation): string {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1)
  return name === 'type' && keyword === 'anyOf'
    ? `"type" must be one of ${TYPES.join(', ')}, or a list of some of them`
    : `"${name}" ${message}`
}

function* checkKeywords({ pointer, value }: DocumentNode, ajv: Ajv2020): Generator<DocumentFault> {
  const { [simulatedValues]: narrower, format, pattern } = value
  const at = (member: string) => joinPointer(pointer, member)
  if (narrower !== undefined && !(isObject(narrower) && ajv.validate(META_SCHEMA, narrower)))
    yield error(at(simulatedValues), 'must be a JSON schema with the narrower rules, such as {maximum: 1}')
  const known = [...OPENAPI_KEYWORDS, ...Object.keys(ajv.RULES.keywords)]
  for (const keyword of Object.keys(value))
    if (!keyword.startsWith('x-') && !known.includes(keyword))
      yield warning(at(keyword), `"${keyword}" is not a keyword of JSON Schema 2020-12 and has no effect`)
  if (typeof format === 'string' && !ajv.formats[format])
    yield warning(at('format'), `the format "${format}" is not known and not checked`)
  if (typeof pattern === 'string' && !isPattern(pattern))
    yield error(at('pattern'), `"${pattern}" is not a regular expression`)
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
