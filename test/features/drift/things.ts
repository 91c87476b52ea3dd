import { parse } from 'yaml'
import type { Json, JsonObject } from '../../../src/base/core/json.ts'
import type { Source } from '../../../src/base/documents/source.ts'
import { judgeDrift } from '../../../src/features/drift/judge/judge.ts'
import type { Contract } from '../../../src/service/contract/contract.ts'
import { buildContract } from '../../../src/service/contract/load.ts'

/** An OpenAPI document with one operation, which lists things. */
export const document: JsonObject = parse(`
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
servers: [{ url: https://api.example.com/v1 }]
paths:
  /things:
    get:
      operationId: listThings
      responses:
        '200':
          description: Things.
          headers: { X-Total: { required: true, schema: { type: integer } }, ETag: { schema: { type: string } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Things' } } }
        '400':
          description: Wrong.
          content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
        '204': { description: None. }
components:
  schemas:
    Uuid: { type: string, format: uuid }
    Error: { type: object, required: [error], properties: { error: { type: string } } }
    Owner:
      type: [object, 'null']
      required: [name]
      properties: { name: { type: string }, mail: { type: string } }
    Thing:
      type: object
      required: [id, level, count, owner]
      properties:
        id: { $ref: '#/components/schemas/Uuid' }
        level: { type: string, enum: [low, high] }
        mood: { type: string, x-simulated-values: { enum: [good, bad] }, x-assumption: The moods are not described. }
        count: { type: integer, minimum: 0 }
        note: { type: string }
        owner: { anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'null' }] }
        tags: { type: object, additionalProperties: { type: string } }
      additionalProperties: false
    Things:
      type: object
      required: [items]
      properties: { items: { type: array, items: { $ref: '#/components/schemas/Thing' } } }
`)

/** Returns a document as if it had been read from a file. */
export const toSource = (value: JsonObject): Source => ({
  file: 'a.yaml',
  value: structuredClone(value),
  locate: () => 'a.yaml',
})

export async function load(value: JsonObject): Promise<Contract> {
  const built = await buildContract(toSource(value))
  if (!built.ok) throw new Error(built.error.map(({ message }) => message).join('\n'))
  return built.value
}

export const contract = await load(document)

/** Returns a thing that conforms to the contract, apart from the given changes. */
export const thing = (changes: JsonObject = {}): JsonObject => ({
  id: '4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34',
  level: 'low',
  mood: 'good',
  count: 1,
  note: 'a note',
  owner: { name: 'Ada', mail: 'a@example.com' },
  tags: { anything: 'goes' },
  ...changes,
})

/** A response from the service. The default status and headers conform to the contract. */
export interface GivenResponse {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body: Json | string
}

/** Returns a response with a list of things. */
export const things = (...items: JsonObject[]): GivenResponse => ({ body: { items } })

export const thingWithout = (name: string): JsonObject => {
  const { [name]: _, ...others } = thing()
  return others
}

export function judge(target: Contract, responses: readonly GivenResponse[]) {
  const observed = responses.map(({ status = 200, headers = {}, body }) => ({
    operation: 'listThings',
    request: 'GET /v1/things',
    status,
    headers: { 'content-type': 'application/json', 'x-total': '1', etag: 'x', ...headers },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  }))
  return judgeDrift(target, {
    responses: observed,
    expected: new Set(['listThings']),
    minSamples: 1,
    notJudged: [],
    howToGetMore: 'Send more.',
    token: undefined,
  })
}
