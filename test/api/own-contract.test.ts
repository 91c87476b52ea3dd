import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, expectRefusal } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A document that has nothing in common with the bundled one. */
const document = `openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
servers: [{ url: /v2 }]
paths:
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getThing, responses: { '204': { description: None. } } }
    delete: { operationId: deleteThing, responses: { '204': { description: None. } } }
  /escaped:
    get:
      operationId: getEscaped
      responses:
        '200':
          description: Names that a JSON pointer escapes.
          content:
            application/json:
              schema:
                type: object
                properties:
                  items:
                    type: array
                    items: { type: object, required: [a/b, c~d], properties: { a/b: { type: integer }, c~d: {} } }
              example: { items: [{ a/b: 1, c~d: 2 }] }
`

const own = sharedSimulator(async (onFinished) => {
  const contract = join(await tempFolder(onFinished), 'shop.yaml')
  await writeFile(contract, document)
  return { contract }
})

test('an unknown path is answered with each path once, also if it has several methods', async () => {
  expectRefusal(await ask(own(), '/v2/nothing'), 404, /Known paths: [^{]*\{id\}[^{]*$/)
})

test.each([
  ['a slash', '/items/*/a~1b', { 'c~d': 2 }],
  ['a tilde', '/items/*/c~0d', { 'a/b': 1 }],
])('a drift acts at a field whose name has %s', async (_character, pointer, left) => {
  const answer = await ask(own(), '/v2/escaped', { scenario: `drop-field;pointer=${pointer}` })
  expect([answer.status, answer.body]).toEqual([200, { items: [left] }])
})
