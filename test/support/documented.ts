import type { ValidateFunction } from 'ajv/dist/2020.js'
import type { Json } from '../../src/base/core/json.ts'
import { applySimulatedValues } from '../../src/service/contract/simulated-values.ts'
import { bundledContract } from '../../src/service/fixtures/bundled.ts'
import { closeDocument } from './closed-document.ts'
import { CompiledDocument, readDocument } from './compiled-document.ts'

const document = readDocument(bundledContract)
/** The document with `x-simulated-values` applied. */
const simulatedDocument = applySimulatedValues(document, 'document') ?? document
const published = new CompiledDocument(document)
const simulated = new CompiledDocument(simulatedDocument)
const closed = new CompiledDocument(closeDocument(simulatedDocument))

/** Describes how a response violates the schema for its status, both with and without `x-simulated-values`. */
export function describeViolations(operationId: string, status: number, body: Json | undefined): string[] {
  return [published, simulated].flatMap((compiled) => listViolations(compiled, operationId, status, body))
}

function listViolations(
  compiled: CompiledDocument,
  operationId: string,
  status: number,
  body: Json | undefined,
): string[] {
  const validate = validatorOf(compiled, operationId, status)
  if (!validate) return [`${operationId} does not document the status ${status}`]
  if (validate(body)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** A schema keyword that a body violates. `at`: the JSON Pointer to the invalid, missing or undocumented value. */
export interface BrokenRule {
  readonly keyword: string
  readonly at: string
}

/**
 * Returns every rule that a body breaks, except `enum` and `const` for a value that has the wrong type. With
 * `isStrict`, an undocumented field also breaks a rule.
 */
export function findBrokenRules(
  operationId: string,
  status: number,
  body: Json | undefined,
  { isStrict = false } = {},
): BrokenRule[] {
  const validate = validatorOf(isStrict ? closed : simulated, operationId, status)
  if (!validate) throw new Error(`${operationId} does not document the status ${status}`)
  if (validate(body)) return []
  const violations = (validate.errors ?? []).map(({ keyword, instancePath, params }) => {
    const name: unknown = params['missingProperty'] ?? params['unevaluatedProperty']
    return { keyword, at: name === undefined ? instancePath : `${instancePath}/${name}` }
  })
  const mistyped = violations.filter(({ keyword }) => keyword === 'type').map(({ at }) => at)
  return violations.filter(({ keyword, at }) => !['enum', 'const'].includes(keyword) || !mistyped.includes(at))
}

function validatorOf(compiled: CompiledDocument, operationId: string, status: number): ValidateFunction | undefined {
  const operation = compiled.operations.find((candidate) => candidate.operationId === operationId)
  if (!operation) throw new Error(`the document has no operation ${operationId}`)
  const response = compiled.findResponse(operation.pointer, status)
  return response === undefined ? undefined : compiled.validatorAt(`${response}/content/application~1json/schema`)
}
