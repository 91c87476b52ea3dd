import type { JsonObject } from '../../core/json.ts'
import type { Finding } from '../../documents/finding.ts'
import type { Source } from '../../documents/source.ts'
import { toViolations } from '../../documents/violations.ts'

/**
 * Checks the document against the schema that the OpenAPI Initiative publishes for 3.1. The validator is loaded only
 * here: it costs a sixth of a second, which a document that is known to pass need not pay at every start.
 */
export async function checkStructure(document: JsonObject, source: Source): Promise<Finding[]> {
  const { Validator } = await import('@seriousme/openapi-schema-validator')
  const validator = new Validator({ allErrors: true, verbose: true })
  const { errors } = await validator.validate(structuredClone(document))
  // A text is about references, which we check ourselves, with places.
  const violations = Array.isArray(errors) ? toViolations(errors, 'body') : []
  // What a schema refuses is also what it did not "evaluate": said only where nothing else explains it.
  const explained = new Set(
    violations
      .filter(({ keyword }) => keyword !== 'unevaluatedProperties')
      .map(({ pointer }) => outer(pointer)),
  )
  return violations
    .filter(({ keyword, pointer }) => keyword !== 'unevaluatedProperties' || !explained.has(outer(pointer)))
    .map(({ pointer, message }) => ({
      severity: 'error',
      place: source.place(pointer),
      message: `is not valid OpenAPI 3.1: ${pointer || 'the document'} ${message}`,
    }))
}

function outer(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'))
}
