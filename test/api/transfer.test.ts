import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import type { SandboxExport } from '../../src/state/store.ts'
import { call, event, expectRefusal, prompt, readStateInfo } from '../support/client.ts'
import { convsim, run } from '../support/command.ts'
import { callControl } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, type TestSimulator, test } from '../support/start.ts'
import { readControl } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

type Target = Pick<TestSimulator, 'origin'>

const readExport = (target: Target, sandbox = 'default') => callControl(target, 'GET', `/export?sandbox=${sandbox}`)

/** Stores events and prompts in a sandbox, activates a version, and changes the quality settings. */
async function fill(target: Target, sandbox = 'default'): Promise<void> {
  const options = { token: `k~${sandbox}` }
  const sold = { insertId: 'a', influence: 'negative', productId: '00000000-0000-4000-9000-000000000001' }
  const chat = { properties: { nested: [{ ü: null }] }, externalConversationId: 'chat' }
  for (const fields of [sold, sold, { insertId: 'dropped', sampleRate: 0 }, chat, chat])
    await call(target, '/v1/events', { body: event(fields), ...options })
  for (const fields of [{ externalPromptId: 'p' }, { externalPromptId: 'p' }, {}])
    await call(target, '/v1/prompts', { body: prompt(fields), ...options })
  const { prompts } = JSON.parse((await call(target, `/__sim/prompts?sandbox=${sandbox}`, { token: null })).text)
  const { promptId, versions } = prompts[0]
  const path = [promptId, versions[1].versionId].map((id) => id.toUpperCase()).join('/versions/')
  await callControl(target, 'POST', `/prompts/${path}/activate?sandbox=${sandbox}`)
  await callControl(target, 'PUT', `/quality?sandbox=${sandbox}`, { weight: 0.6 })
}

/** Reads the analytics, events, prompts, quality settings and export of a sandbox. */
async function readAll(target: Target, sandbox = 'default'): Promise<string[]> {
  const model = '/v1/models/00000000-0000-4000-8000-000000000001/analytics'
  const paths = ['events', 'prompts', 'quality', 'export'].map((path) => `/__sim/${path}?sandbox=${sandbox}`)
  const responses = await Promise.all([model, ...paths].map((path) => call(target, path, { token: `k~${sandbox}` })))
  return responses.map(({ text }) => text)
}

describe('an export', () => {
  test('can replace the state of any sandbox in another process', async () => {
    const frozen = ['--port', '0', '--clock', '2026-01-15T12:00:00Z', '--state']
    const origins = ['from', 'to'].map(async (name) =>
      convsim([...frozen, join(await tempFolder(), `${name}.json`)]).ready(),
    )
    const [from = '', to = ''] = await Promise.all(origins)
    await fill({ origin: from }, 'worker-1')
    await call({ origin: to }, '/v1/events', { body: event({ insertId: 'goes' }), token: 'k~worker-2' })
    const document = await readExport({ origin: from }, 'worker-1')
    expect(await callControl({ origin: to }, 'POST', '/import?sandbox=worker-2', document)).toEqual({
      events: 4,
      prompts: 2,
    })
    expect(await readAll({ origin: to }, 'worker-2')).toEqual(await readAll({ origin: from }, 'worker-1'))
    expect(JSON.stringify(await callControl({ origin: to }, 'GET', '/sandboxes'))).toContain('worker-2')
  })

  test('of an unused sandbox empties the sandbox into which it is imported', async ({ own }) => {
    await fill(own)
    expect(await callControl(own, 'POST', '/import', await readExport(own, 'nobody'))).toEqual({
      events: 0,
      prompts: 0,
    })
    expect(await readExport(own)).toMatchObject({ format: 1, quality: { weight: 0.1 }, events: [], prompts: [] })
  })

  test('can be imported into new sandboxes, and --sandbox-limit still applies', async () => {
    const sim = await startForTest({ sandboxLimit: 3 })
    for (const name of ['a', 'b', 'c', 'd']) {
      await fill(sim, 'source')
      await callControl(sim, 'POST', `/import?sandbox=${name}`, await readExport(sim, 'source'))
    }
    expect(await readStateInfo(sim)).toMatchObject({ sandboxes: 2 })
  })
})

const shared = sharedSimulator()
/** Returns a function that changes the second event of an export. */
const editEvent = (change: object) => (document: SandboxExport) => {
  const [first, second] = document.events
  return { ...document, events: [first, { ...second, ...change }] }
}
const repeatIdInUpperCase = ({ events: [event], ...document }: SandboxExport) => {
  return { ...document, events: [event, { ...event, eventId: event?.eventId.toUpperCase() }] }
}

test.each<[string, (document: SandboxExport) => unknown, RegExp]>([
  ['{}', () => ({}), /\/format is required; \/quality is required; \/events is required; \/prompts is required/],
  ['IDs that differ only in case', repeatIdInUpperCase, /\/events\/1 must not repeat the ID [0-9a-f-]{36}/],
  ['a word instead of a time', editEvent({ receivedAt: 'noon' }), /\/events\/1\/receivedAt must be a UTC time such as/],
  ['February 30', editEvent({ receivedAt: '2026-02-30T12:00:00.000Z' }), /1\/receivedAt must be an RFC 3339 date-time/],
  ['many errors', (all) => ({ ...all, events: new Array(150).fill({}) }), /the check stops after 100 errors/],
  ['too many replays', editEvent({ replays: 1e308 }), /\/events\/1\/replays must be from 0 to 9007199254740991/],
  ['an excessive impact', editEvent({ impact: 1e308 }), /1\/impact must be from -1000000 to 1000000/],
  ['an event without fields', editEvent({ fields: {} }), /\/events\/1\/fields\/eventAt is required/],
  ['broken JSON', () => '{"format": 1,', /body/],
  ['a duplicate member', () => '{"format": 1, "format": 1}', /format/],
  ['no body', () => '', /body/],
])(
  'an invalid export is refused with a list of its problems, and no sandbox is changed or created: %s',
  async (_name, invalidate, pattern) => {
    await fill(shared())
    const before = await readAll(shared())
    const body = invalidate(await readControl<SandboxExport>(shared(), '/export')) as Json
    for (const sandbox of ['default', 'never-created']) {
      const response = await call(shared(), `/__sim/import?sandbox=${sandbox}`, { body, token: null })
      expectRefusal(response, 400, pattern)
    }
    expect(await readAll(shared())).toEqual(before)
    expect(JSON.stringify(await callControl(shared(), 'GET', '/sandboxes'))).not.toContain('never-created')
  },
)

test('an import accepts values that an edited contract could allow: other types, and an impact above 1', async () => {
  await fill(shared(), 'edited')
  const document = await readExport(shared(), 'edited')
  const [event, ...events] = document['events'] as JsonObject[]
  const [prompt, ...prompts] = document['prompts'] as { versions: JsonObject[] }[]
  const fields = { ...(event?.['fields'] as JsonObject), value: 7, qualityImpactScore: 5 }
  const versions = prompt?.versions.map((version) => ({ ...version, fields: { components: 5 } }))
  const edited = {
    ...document,
    events: [{ ...event, fields, impact: 5 }, ...events],
    prompts: [{ ...prompt, versions }, ...prompts],
  } as JsonObject
  await callControl(shared(), 'POST', '/import?sandbox=edited', edited)
  expect((await call(shared(), '/__sim/prompts?sandbox=edited', { token: null })).status).toBe(200)
})

describe('--seed-state', () => {
  test('fills the default sandbox on reset, and at startup if the sandbox has no records', async () => {
    const source = await startForTest()
    await fill(source)
    const document = await readExport(source)
    const folder = await tempFolder()
    const [seedState, state] = [join(folder, 'seed.json'), join(folder, 'state.json')]
    await writeFile(seedState, JSON.stringify(document))
    const first = await startForTest({ state, seedState })
    expect(await readExport(first)).toEqual(document)
    for (const sandbox of ['default', 'worker-1']) {
      await call(first, '/v1/events', { body: event(), token: `k~${sandbox}` })
      await callControl(first, 'PUT', `/quality?sandbox=${sandbox}`, { weight: 0 })
      await callControl(first, 'POST', `/reset?sandbox=${sandbox}`)
    }
    expect(await readExport(first)).toEqual(document)
    expect(await readExport(first, 'worker-1')).toMatchObject({ events: [], prompts: [] })
    await call(first, '/v1/events', { body: event({ insertId: 'later' }) })
    const before = await readExport(first)
    expect(before).not.toEqual(document)
    await first.close()
    expect(await readExport(await startForTest({ state, seedState }))).toEqual(before)
  })

  test('with an invalid export causes exit code 1 and an error that names the file, and writes no state', async () => {
    const folder = await tempFolder()
    const [seed, state] = [join(folder, 'seed.json'), join(folder, 'state.json')]
    await writeFile(seed, '{"format": 1, "quality": {"weight": 0.1}, "events": [{}], "prompts": []}')
    const { code, stderr } = await run(['--port', '0', '--state', state, '--seed-state', seed])
    expect(code).toBe(1)
    expect(stderr).toContain(`${seed}: error: /events/0/eventId is required`)
    await expect(readFile(state)).rejects.toThrow('ENOENT')
  })
})
