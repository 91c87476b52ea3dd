import type { Finding } from '../../../src/base/documents/finding.ts'
import { parseSource } from '../../../src/base/documents/parse.ts'
import type { Contract, Operation } from '../../../src/service/contract/contract.ts'
import { buildContract, type LoadOptions } from '../../../src/service/contract/load.ts'

/** The path of the bundled document of the service. */
export const BUNDLED = new URL('../../../spec/openapi.yaml', import.meta.url).pathname

/** A document with one operation; each test replaces a part of it. Line 1 is `openapi`. */
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

/** Returns all findings about a text as `line:column severity message`. */
export async function findingsOf(text: string, options: LoadOptions = {}): Promise<string[]> {
  const source = parseSource(text, 'doc.yaml')
  if (!source.ok) return source.error.map(inOneLine)
  const loaded = await buildContract(source.value, options)
  return (loaded.ok ? loaded.value.warnings : loaded.error).map(inOneLine)
}

function inOneLine({ severity, place, message }: Finding): string {
  return `${place.replace('doc.yaml:', '')} ${severity} ${message}`
}

/** Returns the contract of a text that has no errors. */
export async function contractOf(text: string): Promise<Contract> {
  const source = parseSource(text, 'doc.yaml')
  if (!source.ok) throw new Error(JSON.stringify(source.error))
  const loaded = await buildContract(source.value, { structure: false })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  return loaded.value
}

/** Returns the operation of an id. */
export function operationOf(contract: Contract, id: string): Operation {
  const operation = contract.operations.find((candidate) => candidate.id === id)
  if (operation === undefined) throw new Error(`there is no operation ${id}`)
  return operation
}
