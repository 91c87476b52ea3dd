import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
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
`

const own = sharedSimulator(async (onFinished) => {
  const contract = join(await tempFolder(onFinished), 'shop.yaml')
  await writeFile(contract, document)
  return { contract }
})

test('an unknown path is answered with each path once, also if it has several methods', async () => {
  expectRefusal(await ask(own(), '/v2/nothing'), 404, /Known paths: \/v2\/things\/\{id\}\.$/)
})
