import type { JsonObject } from '../../../base/core/json.ts'
import { toViolations } from '../../../base/documents/violations.ts'
import { type DocumentFault, warning } from './fault.ts'

/** Checks a document against the published schema of its version. A start does without: the library takes 170 ms. */
export async function checkStructure(document: JsonObject): Promise<DocumentFault[]> {
  const { Validator } = await import('@seriousme/openapi-schema-validator')
  const validator = new Validator({ allErrors: true, verbose: true })
  const { errors } = await validator.validate(structuredClone(document))
  // The validator returns a text instead of a list for broken references, which `leaveOut` reports with places.
  const violations = Array.isArray(errors) ? toViolations(errors, 'body') : []
  // A member that breaks a rule makes members of its object unevaluated, too: those violations are dropped.
  const around = (pointer: string) => pointer.slice(0, pointer.lastIndexOf('/'))
  const isUnevaluated = ({ keyword }: { readonly keyword: string }) => keyword === 'unevaluatedProperties'
  const explained = violations.filter((one) => !isUnevaluated(one)).map(({ pointer }) => around(pointer))
  const version = String(document.openapi ?? document.swagger).slice(0, 3)
  return violations.flatMap((one) => {
    if (isUnevaluated(one) && explained.includes(around(one.pointer))) return []
    const message = `is not valid OpenAPI ${version}: ${one.pointer || 'the document'} ${one.message}`
    return [warning(one.pointer, message)]
  })
}
