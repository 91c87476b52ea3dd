import { expect, test } from 'vitest'
import { ask, expectRefusal } from '../../support/client.ts'
import { startForTest } from '../../support/start.ts'
import { tempFile } from '../../support/temp-folder.ts'

const documentOf = (schema: string) => `openapi: 3.1.0
info: { title: T, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /things:
    get:
      operationId: listThings
      responses: { '200': { description: All., content: { application/json: { schema: ${schema} } } } }
`

test.each([
  '{ type: array, minItems: 100000000, items: { type: string } }',
  '{ type: array, minItems: 1000, items: { type: array, minItems: 1000, items: { type: string } } }',
  '{ type: object, properties: { name: { type: string, minLength: 1000000000 } } }',
  '{ type: object, minProperties: 10000000 }',
  '{ anyOf: [{ type: array, minItems: 100000000 }, { type: string, minLength: 100000000 }] }',
])('a response that would be too large is not generated, and the simulator goes on: %s', async (schema) => {
  const own = await startForTest({ contract: await tempFile(documentOf(schema), 'openapi.yaml') })
  expectRefusal(
    await ask(own, '/v1/things', { may500: true }),
    500,
    /listThings: the schema of 200 asks for more than 10,000 values/,
  )
  expect((await ask(own, '/__sim/health')).status).toBe(200)
})
