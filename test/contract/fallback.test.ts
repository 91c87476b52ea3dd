import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createFallback } from '../../src/contract/fallback.ts'
import { BUNDLED, contractOf, operationOf } from './documents.ts'

/** Operations that a user might add to the bundled document: one with an example, one with a schema alone. */
const MORE = `paths:
  /products/{productId}:
    get:
      operationId: getProduct
      parameters: [{ name: productId, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: The product
          headers: { X-Version: { schema: { type: integer }, example: 3 } }
          content: { application/json: { schema: { type: object }, example: { name: shop } } }
        '404': { description: None, content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
  /segments:
    get:
      operationId: listSegments
      responses:
        '200':
          description: The segments
          content:
            application/json:
              schema: { type: array, minItems: 1, items: { $ref: '#/components/schemas/Uuid' } }
`
const text = await readFile(BUNDLED, 'utf8')
const contract = await contractOf(text.replace(/^paths:\n/m, () => MORE))

/** Creates the fallback of the contract, and returns a function that asks it for a path. */
async function createAsk() {
  const created = await createFallback(contract)
  if (!created.ok) throw new Error(created.error)
  return (path: string, id = 'getProduct') =>
    created.value({ operation: operationOf(contract, id), path, query: {}, headers: {}, body: undefined })
}

test('an operation without a handler replies with its example and the headers of the document', async () => {
  const ask = await createAsk()
  const headers = { 'content-type': 'application/json', 'x-version': '3' }
  expect(await ask('/products/7')).toEqual({ ok: true, value: { status: 200, headers, body: { name: 'shop' } } })
  expect(JSON.stringify(contract.document)).toContain('"$ref":"#/components/schemas/Error"') // it is not changed
})

test('the same request gets the same bytes, between other requests and in another process', async () => {
  const [ask, another] = [await createAsk(), await createAsk()]
  const first = await ask('/segments', 'listSegments')
  const [product, ...again] = await Promise.all([
    ask('/products/7'),
    ask('/segments', 'listSegments'),
    another('/segments', 'listSegments'),
  ])
  expect([product?.ok, ...again]).toEqual([true, first, first])
})
