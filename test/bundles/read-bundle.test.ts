import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Bundle, BundledRequest } from '../../src/bundles/bundle.ts'
import { SMALL } from '../contract/documents.ts'
import { ask, event } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { getBundle, replay, replayText, withRequest } from './replayed.ts'

const sim = sharedSimulator()

async function sampleBundle(): Promise<Bundle> {
  await ask(sim(), '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'read' } })
  return getBundle(sim(), 'read')
}

/** Replays a text that is no bundle, and returns the refusal. */
async function refusalOf(text: string): Promise<string> {
  const { code, stdout, stderr } = await replayText(text)
  expect([code, stdout]).toEqual([1, ''])
  return stderr
}

test('a file that is no bundle is refused with the place of the fault', async () => {
  expect(await refusalOf('{\n "kind": }')).toBe(
    'convsim cannot replay:\n  bundle.json:2:10: error: is not JSON: it has "}" here, where a value is expected\n',
  )
  expect(await refusalOf('{"openapi": "3.1.0"}')).toContain('bundle.json:1:1: error: is no bundle: convsim writes')
  // The parser that knows lines, which takes seconds for a large file, is not asked: it refuses a repeated member.
  expect(await refusalOf('{"log": 1, "log": 2}')).toContain('bundle.json:1:1: error: is no bundle')
  expect(await refusalOf('{\n"kind": "convsim bundle",\n"format": 2 }')).toContain(
    'bundle.json:3:1: error: must be 1, the format that this version of convsim reads',
  )
  expect(await refusalOf(`${'['.repeat(1000)}${']'.repeat(1000)}`)).toContain('is nested deeper than 200 levels')
})

test('each fault of a bundle is told with its line', async () => {
  const bundle = await sampleBundle()
  const spoil = (change: object) => refusalOf(JSON.stringify({ ...bundle, ...change }, null, 1))
  expect(await spoil({ settings: { ...bundle.settings, host: '0.0.0.0' } })).toMatch(
    /bundle\.json:\d+:\d+: error: \/settings\/host is not allowed here/,
  )
  expect(await spoil({ settings: { ...bundle.settings, models: 'all' } })).toMatch(
    /bundle\.json:\d+:\d+: error: \/settings\/models must be one of/,
  )
  const [first] = bundle.sandboxes
  expect(await spoil({ sandboxes: [first, first] })).toContain('/sandboxes/1/name must not repeat "read"')
  const change = { operation: 'putQuality', order: 1, at: bundle.writtenAt, method: 'PUT', path: '/v1/events' }
  expect(await spoil({ sandboxes: [{ ...first, changes: [{ ...change, query: '', body: { size: 0 } }] }] })).toContain(
    '/sandboxes/0/changes/0/path',
  )
  for (const now of ['2026-99-09T00:00:00.000Z', '2026-02-30T00:00:00.000Z', '2026-01-01T23:59:60.000Z']) {
    const wrong = withRequest(bundle, first?.requests[0]?.id ?? '', (request) => ({ ...request, now }))
    expect(await refusalOf(JSON.stringify(wrong))).toContain('/sandboxes/0/requests/0/now must ')
  }
})

test('errors in the documents of a bundle name their places in the bundle', async () => {
  const bundle = await sampleBundle()
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

test('a bundle with strange texts ends with a verdict', async () => {
  const bundle = await sampleBundle()
  const id = bundle.sandboxes[0]?.requests[0]?.id ?? ''
  const strange = [
    { path: '/v1/events%', query: '%&=&__proto__=1' },
    { method: 'get it', headers: { authorization: 'Bearer \u20ac\u0000', host: '' } },
    { body: { size: 5, base64: '////' }, aborted: false },
    { body: { size: 5, unreadable: { status: 413, reason: '' } } },
  ] as const
  for (const parts of strange) {
    const { code } = await replay(withRequest(bundle, id, (request) => ({ ...request, ...parts }) as BundledRequest))
    expect([1, 3]).toContain(code)
  }
})

test('another version and another contract are told', async () => {
  const bundle = await sampleBundle()
  const { stdout } = await replay({
    ...bundle,
    versions: { ...bundle.versions, convsim: '0.0.9', faker: '9.0.0' },
    contract: { digest: `sha256:${'0'.repeat(64)}` },
  })
  expect(stdout).toContain('The run had convsim 0.0.9, this is ')
  expect(stdout).toContain('The run had faker 9.0.0, this is ')
  expect(stdout).toContain(`The run had the contract sha256:${'0'.repeat(64)}, this convsim has sha256:`)
})
