import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadContract } from '../../../src/service/contract/load.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { contractOf, findingsOf, operationOf, SMALL } from './documents.ts'

/** Writes files to a new folder and loads the first one as a contract. Findings give paths relative to the folder. */
async function load(files: Readonly<Record<string, string>>) {
  const folder = await tempFolder()
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const loaded = await loadContract(join(folder, Object.keys(files)[0] ?? ''), { thorough: true })
  const findings = (loaded.ok ? loaded.value.warnings : loaded.error).map(({ severity, place, message }) =>
    `${place} ${severity} ${message}`.replaceAll(`${folder}/`, ''),
  )
  return { contract: loaded.ok ? loaded.value : undefined, findings }
}

describe('references to other files', () => {
  test('work in Swagger 2.0 documents, and the referenced files are also upgraded', async () => {
    const { contract, findings } = await load({
      'api.yaml': "swagger: '2.0'\ninfo: { title: A, version: '1' }\npaths: { /a: { $ref: 'parts.yaml#/path' } }\n",
      'parts.yaml': `path:
  post:
    operationId: add
    parameters: [{ $ref: '#/body' }]
    responses: { '200': { $ref: '#/ok' } }
body: { in: body, name: body, schema: { $ref: '#/thing' } }
ok: { description: ok, schema: { $ref: '#/thing' } }
thing: { type: object, properties: { a: { type: string, typo: 1 } } }
`,
    })
    const finding = '8:57 warning is not valid OpenAPI 2.0: /definitions/thing/properties/a/typo is not allowed here'
    expect(findings).toContainEqual(expect.stringContaining(`parts.yaml:${finding}`))
    expect(contract && operationOf(contract, 'add').checkBody('application/json', 7)).toMatchObject([{ in: 'body' }])
  })

  const unresolved = (path: string, reason: string) => `cannot be resolved: ${path} ${reason}`
  const outside = "is outside the project (the working directory, or the document's folder if that is elsewhere)"
  test.each([
    ['none.yaml', unresolved('none.yaml', 'cannot be read: no such file')],
    ['folder.yaml#/A', unresolved('folder.yaml', 'is a folder; expected a regular file')],
    ['broken.yaml', unresolved('broken.yaml:2:1', 'is a duplicate key')],
    ['empty.yaml', unresolved('empty.yaml:1:1', 'is empty; expected YAML or JSON')],
    ['api.xsd', 'points to a file without the extension .yaml, .yml or .json'],
    ['other.yaml#/None', 'points to nothing'],
    ['other.yaml#/text', 'must point to an object'],
    ['http://api.test/a.yaml', outside],
    ['/etc/a.yaml', outside],
    ['../a.yaml', outside],
    ['file:///etc/a.yaml', outside],
  ])('cause a warning in a schema and an error in a path item if they cannot be used: %s', async (ref, reason) => {
    const others = {
      'folder.yaml/a': '',
      'broken.yaml': 'a: 1\na: 2\n',
      'empty.yaml': '',
      'other.yaml': 'text: x\n',
    }
    const inSchema = await load({ 'api.yaml': SMALL.replace('#/components/schemas/Thing', ref), ...others })
    expect(inSchema.findings).toEqual([`api.yaml:13:25 warning $ref "${ref}" ${reason}; any value is accepted`])
    const inPathItem = await load({
      'api.yaml': `${SMALL}  pathItems: {}\n`.replace('paths:', `paths:\n  /a: { $ref: '${ref}' }`),
      ...others,
    })
    expect(inPathItem.findings).toContain(`api.yaml:5:9 error $ref "${ref}" ${reason}`)
  })
})

describe('a broken reference', () => {
  test.each([
    ['to a missing schema', '#/components/schemas/Thin', 'points to nothing'],
    ['to a missing anchor', '#thin', 'points to nothing'],
    ['to a response', '#/paths/~1things/get/responses/200', 'has a target of kind "response"; expected "schema"'],
  ])('in a schema is reported, and any value is accepted: %s', async (_target, ref, reason) => {
    const text = SMALL.replace('#/components/schemas/Thing', ref)
    expect(await findingsOf(text)).toEqual([`13:25 warning $ref "${ref}" ${reason}; any value is accepted`])
    expect(operationOf(await contractOf(text), 'listThings').checkResponse(200, 7)).toEqual([])
  })

  test('in place of a parameter, body, response, example or link is ignored, with a warning', async () => {
    const none = "{ $ref: '#/components/x-none' }"
    const text = SMALL.replace(
      '      responses:\n',
      `      parameters: [${none}]\n      requestBody: ${none}\n      responses:\n        '404': ${none}\n`,
    ).replace('example: { name: ball }', `examples: { a: ${none} }\n          links: { b: ${none} }`)
    const findings = await findingsOf(text)
    expect(findings).toHaveLength(5)
    for (const finding of findings) expect(finding).toMatch(/warning .* points to nothing; it is ignored$/)
    const operation = operationOf(await contractOf(text), 'listThings')
    expect([operation.body, operation.parameters, operation.examples(200)]).toEqual([undefined, [], []])
    expect(operation.statuses).toEqual([200, 404])
  })
})
