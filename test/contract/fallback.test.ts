import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../../src/contract/contract.ts'
import { createFallback, type Fallback, type FallbackRequest } from '../../src/contract/fallback.ts'
import { BUNDLED, contractOf, operationOf } from './documents.ts'

/** Operations that a user might add to the bundled document. */
const MORE = `paths:
  /products/{productId}:
    get:
      operationId: getProduct
      summary: Read a product
      parameters: [{ name: productId, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: The product
          headers: { X-Version: { schema: { type: integer }, example: 3 } }
          content:
            application/json:
              schema: { type: object, required: [name], properties: { name: { type: string } } }
              examples: { shop: { value: { name: shop } }, bank: { value: { name: bank } } }
        '404': { description: None, content: { application/json: { schema: { $ref: '#/components/schemas/Error' }, example: { success: false, error: none } } } }
  /segments:
    get:
      operationId: listSegments
      summary: List segments
      responses:
        '200':
          description: The segments
          content:
            application/json:
              schema:
                type: array
                minItems: 1
                items:
                  type: object
                  required: [id, code, size, parent]
                  properties:
                    id: { $ref: '#/components/schemas/Uuid' }
                    code: { type: string, pattern: '^[A-Z]{3}-[0-9]{2}$' }
                    size: { type: integer, minimum: 5 }
                    parent: { type: [string, 'null'] }
    delete:
      operationId: dropSegments
      summary: Drop all segments
      responses: { '204': { description: Dropped } }
`
let contract: Contract
let fallback: Fallback

beforeAll(async () => {
  const text = await readFile(BUNDLED, 'utf8')
  contract = await contractOf(text.replace(/^paths:\n/m, () => MORE))
  fallback = await create()
})

async function create(): Promise<Fallback> {
  const created = await createFallback(contract)
  if (!created.ok) throw new Error(created.error)
  return created.value
}

function request(method: string, path: string, more: Partial<FallbackRequest> = {}): FallbackRequest {
  return { method, path, query: {}, headers: {}, body: undefined, ...more }
}

describe('an operation without a handler', () => {
  test('replies with its first example and the headers of the document', async () => {
    expect(await fallback.reply(request('GET', '/products/7'))).toEqual({
      ok: true,
      value: { status: 200, headers: { 'content-type': 'application/json', 'x-version': '3' }, body: { name: 'shop' } },
    })
  })

  test('replies with the requested example or status', async () => {
    expect(await fallback.reply(request('GET', '/products/7', { example: 'bank' }))).toMatchObject({
      value: { body: { name: 'bank' } },
    })
    expect(await fallback.reply(request('GET', '/products/7', { status: 404 }))).toMatchObject({
      value: { status: 404, body: { success: false, error: 'none' } },
    })
  })

  test('replies with a valid body of its schema if it has no example', async () => {
    const reply = await fallback.reply(request('GET', '/segments'))
    if (!reply.ok || reply.value.body === undefined) throw new Error(JSON.stringify(reply))
    const { status, body } = reply.value
    expect(operationOf(contract, 'listSegments').checkResponse(status, body)).toEqual([])
  })

  test('replies with the same bytes to the same request, between other requests and in parallel to them', async () => {
    const getReply = async () => JSON.stringify(await fallback.reply(request('GET', '/segments')))
    const first = await getReply()
    await fallback.reply(request('GET', '/products/7'))
    const dropped = fallback.reply(request('DELETE', '/segments'))
    expect(await Promise.all([getReply(), getReply(), getReply()])).toEqual([first, first, first])
    await dropped
    const another = await create()
    expect(JSON.stringify(await another.reply(request('GET', '/segments')))).toBe(first)
  })

  test('replies without a body if the document describes none', async () => {
    expect(await fallback.reply(request('DELETE', '/segments'))).toEqual({
      ok: true,
      value: { status: 204, headers: {}, body: undefined },
    })
  })

  test('replies with JSON whatever the client accepts', async () => {
    const headers = { accept: 'text/html' }
    expect(await fallback.reply(request('GET', '/products/7', { headers }))).toMatchObject({ value: { status: 200 } })
  })
})

test.each([
  ['GET', '/nowhere', undefined],
  ['PUT', '/segments', undefined],
  ['BREW', '/segments', undefined],
  ['DELETE', '/segments', 418],
])('%s %s with the status %s, which the document does not describe, returns an error', async (method, path, status) => {
  const asked = request(method, path, status === undefined ? {} : { status })
  expect(await fallback.reply(asked)).toEqual({ ok: false, error: expect.any(String) })
})

test('the fallback does not change the document of the contract', () => {
  expect(JSON.stringify(contract.document)).toContain('"$ref":"#/components/schemas/Error"')
})
