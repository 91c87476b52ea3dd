import { parseSource } from '../../../src/base/documents/parse.ts'
import type { Contract, Operation } from '../../../src/service/contract/contract.ts'
import { buildContract, type LoadOptions } from '../../../src/service/contract/load.ts'

/** A document with one operation. Tests replace parts of the text. */
export const SMALL = `openapi: 3.1.0
info: { title: Small, version: 1.0.0 }
servers: [{ url: https://api.test/v1 }]
paths:
  /things:
    get:
      operationId: listThings
      responses:
        '200':
          description: All things
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Thing' }
              example: { name: ball }
components:
  schemas:
    Thing:
      type: object
      required: [name]
      properties:
        name: { type: string }
`

async function build(text: string, options: LoadOptions = {}) {
  const source = parseSource(text, 'doc.yaml')
  return source.ok ? buildContract(source.value, options) : source
}

/** Returns all findings about a document, each as `line:column severity message`. */
export async function findingsOf(text: string): Promise<string[]> {
  const result = await build(text, { thorough: true })
  const findings = result.ok ? result.value.warnings : result.error
  return findings.map(({ severity, place, message }) => `${place.replace('doc.yaml:', '')} ${severity} ${message}`)
}

/** Returns the contract of a document. Throws if the document has errors. */
export async function contractOf(text: string): Promise<Contract> {
  const result = await build(text)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

/** Returns the operation with the given ID. Throws if there is none. */
export function operationOf(contract: Contract, id: string): Operation {
  const operation = contract.operations.find((candidate) => candidate.id === id)
  if (operation === undefined) throw new Error(`there is no operation ${id}`)
  return operation
}
