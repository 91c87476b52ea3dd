import type { JsonObject } from '../../../base/core/json.ts'
import { toViolations } from '../../../base/documents/violations.ts'
import { type DocumentFault, warning } from './fault.ts'

/**
 * Checks the document against the schema that the OpenAPI Initiative publishes for its version. Only this function
 * loads the validator, which takes 170 ms: a start does without it.
 */
export async function checkStructure(document: JsonObject): Promise<DocumentFault[]> {
  const { Validator } = await import('@seriousme/openapi-schema-validator')
  const validator = new Validator({ allErrors: true, verbose: true })
  const { errors } = await validator.validate(structuredClone(document))
  // The validator returns a text instead of a list for broken references, which `checkReferences` reports with places.
  const violations = Array.isArray(errors) ? toViolations(errors, 'body') : []
  // A member that breaks a rule makes members of its object unevaluated, too: those violations are dropped.
  const explained = new Set(
    violations
      .filter(({ keyword }) => keyword !== 'unevaluatedProperties')
      .map(({ pointer }) => parentPointer(pointer)),
  )
  const version = String(document.openapi ?? document.swagger).slice(0, 3)
  return violations
    .filter(({ keyword, pointer }) => keyword !== 'unevaluatedProperties' || !explained.has(parentPointer(pointer)))
    .map(({ pointer, message }) =>
      warning(pointer, `is not valid OpenAPI ${version}: ${pointer || 'the document'} ${message}`),
    )
}

const parentPointer = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'))
