import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { SMALL } from '../contract/documents.ts'
import { startForTest } from '../support/start.ts'
import { getBundle, replay } from './replayed.ts'

test('errors in the documents of a bundle name their places in the bundle', async () => {
  const bundle = await getBundle(await startForTest())
  const document = parse(SMALL.replace('schemas/Thing', 'schemas/None'))
  const broken = await replay({ ...bundle, contract: { ...bundle.contract, document } })
  expect(broken.code).toBe(1)
  const schema = '/contract/document/paths/~1things/get/responses/200/content/application~1json/schema'
  expect(broken.stderr).toContain(`bundle.json#${schema}`)
  const wrongRule = await replay({ ...bundle, rules: [{ scenario: 'slow' }, { scenario: 'nonesuch' }] })
  expect(wrongRule.stderr).toContain('bundle.json#/rules/1/scenario: error: ')
  const names = ['keys', 'plans', 'models', 'products', 'personas', 'phrases']
  const fixtures = Object.fromEntries(names.map((name) => [name, { [name]: 3 }]))
  const wrongKeys = await replay({ ...bundle, fixtures })
  expect(wrongKeys.stderr).toContain('bundle.json#/fixtures/keys')
  for (const { stderr } of [broken, wrongRule, wrongKeys]) expect(stderr).not.toContain('convsim-replay-')
})
