import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { runInProcess } from '../support/run-tool.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { documentWithData, findFault, tryDocument } from '../support/try-document.ts'

async function write(document: object): Promise<string> {
  const file = join(await tempFolder(), 'contract.json')
  await writeFile(file, JSON.stringify(document))
  return file
}

const withSchema = (schema: JsonObject) => documentWithData({ schema, example: { a: 'b' } })

const property = (a: JsonObject) => withSchema({ type: 'object', properties: { a } })

test.each<[string, object, RegExp]>([
  ['an unknown type', property({ type: 'text' }), /"type" must be one of array, .*; it is ignored/],
  ['a length that is a text', property({ minLength: '1' }), /"minLength" must be a whole number from 0/],
  ['an unknown format', property({ format: 'colour' }), /the format "colour" is not known/],
])('a document is served, and check warns: %s', async (_, document, warning) => {
  const file = await write(document)
  const outcome = await tryDocument(file)
  expect(findFault(outcome, '\0')).toBeUndefined()
  expect([outcome.started, outcome.body]).toEqual([[], expect.any(String)])
  const { code, stdout } = await runInProcess(['check', file, '--strict'])
  expect([code, stdout]).toEqual([1, expect.stringMatching(warning)])
  expect(stdout).toContain('not ok with --strict')
  expect((await runInProcess(['check', file])).code).toBe(0)
})

test.each(['^[\\w-.]+$', '^\\p{Lu}b$', '^[\\p{Lu}--[A]]b$'])(
  'a pattern is checked, whatever flag it needs: %s',
  async (pattern) => {
    const { stdout } = await runInProcess(['check', await write(property({ type: 'string', pattern }))])
    expect(stdout).not.toContain('regular expression')
  },
)
