import { describe, expect, onTestFinished } from 'vitest'
import { defaultSettings, type Settings } from '../../src/server/settings/settings.ts'
import {
  analyticsPath,
  call,
  event,
  expectRefusal,
  prompt,
  type RequestOptions,
  readStateInfo,
  textOf,
} from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import { controlOperations } from '../support/control-operations.ts'
import { sharedSimulator } from '../support/shared.ts'
import { createLogRecorder, type LogEntry, start, type TestSimulator, test } from '../support/start.ts'
import { listSandboxes } from '../support/stored-records.ts'

const sim = sharedSimulator()
const eventWithInsertId = event({ insertId: 'order-1' })

test('a header, a key and a path can name the same sandbox, which is separate from the default', async ({ own }) => {
  const ways: [prefix: string, options: RequestOptions][] = [
    ['', { sandbox: 'worker-3' }],
    ['', { token: 'any-key~worker-3' }],
    ['/_s/worker-3', {}],
    ['/_s/worker-3', { token: 'k~worker-3', sandbox: 'worker-3' }],
  ]
  const ids = new Set<string>()
  for (const [prefix, options] of ways) {
    const response = await call(own, `${prefix}/v1/events`, { body: eventWithInsertId, ...options })
    expect(response.headers.get('x-sim-sandbox')).toBe('worker-3')
    ids.add(textOf(response, 'eventId'))
  }
  expect(ids.size).toBe(1)
  expect(await readStateInfo(own)).toMatchObject({ events: 1, sandboxes: 1 })
  expect(ids).not.toContain(textOf(await call(own, '/v1/events', { body: eventWithInsertId }), 'eventId'))
})

test('the refusal of an invalid sandbox name in a key does not quote the key, and suggests key~default', async () => {
  const token = 'sk~live secret'
  const response = await call(sim(), analyticsPath, { token })
  expectRefusal(response, 400, 'key~default')
  expect(response.text).not.toContain('secret')
  expect((await call(sim(), analyticsPath, { token: `${token}~default` })).status).toBe(200)
})

test('the list of sandboxes shows how many records, snapshots, requests and rules each has', async ({ own }) => {
  const options = { sandbox: 'full' }
  await call(own, '/v1/events', { body: eventWithInsertId, ...options })
  await call(own, '/v1/prompts', { body: prompt(), ...options })
  await call(own, analyticsPath, options)
  await call(own, '/__sim/snapshots?sandbox=full', { method: 'POST' })
  await putRules(own, [{ scenario: '429' }], 'full')
  const full = (await listSandboxes(own)).find(({ name }) => name === 'full')
  expect(full).toMatchObject({ events: 1, prompts: 1, snapshots: 1, requests: 3, rules: 1 })
})

test('the revisions in the sandbox list show which sandboxes the control plane has changed', async ({ own }) => {
  const readRevisions = async () =>
    Object.fromEntries((await listSandboxes(own)).map(({ name, revision }) => [name, revision]))
  for (const sandbox of ['one', 'two']) await putRules(own, [{ scenario: '429' }], sandbox)
  const before = await readRevisions()
  await call(own, analyticsPath, { headers: { 'x-sim-sandbox': 'one' } })
  await callControl(own, 'GET', '/scenarios?sandbox=one')
  await callControl(own, 'POST', '/requests/count?sandbox=one', {})
  await callControl(own, 'POST', '/verify?sandbox=one', {})
  await callControl(own, 'POST', '/explain?sandbox=one', { method: 'GET', path: analyticsPath })
  await call(own, '/__sim/scenarios?sandbox=one', { method: 'PUT', body: { rules: [{ scenario: 'no' }] } })
  expect(await readRevisions()).toMatchObject(before)
  await putRules(own, [{ scenario: '503' }], 'one')
  const after = await readRevisions()
  expect(after['one']).not.toBe(before['one'])
  expect(after['two']).toBe(before['two'])
  await callControl(own, 'PUT', '/sandboxes/two', { seed: 'other' })
  expect((await readRevisions())['two']).not.toBe(before['two'])
})

test('a control-plane GET that names an unknown sandbox does not create the sandbox', async () => {
  for (const { id, method, path } of await controlOperations()) {
    if (method !== 'GET' || id === 'streamRequests') continue // a stream never ends
    await call(sim(), `/__sim${path.replace(/\{\w+\}/g, 'x')}?sandbox=read-by-${id}`, { token: null })
  }
  expect(JSON.stringify(await listSandboxes(sim()))).not.toContain('read-by')
})

const namesOf = (sandboxes: readonly { readonly name: string }[]) => sandboxes.map(({ name }) => name)

describe('a request', () => {
  test('with control headers affects neither other sandboxes nor later requests', async ({ own }) => {
    const before = await call(own, analyticsPath)
    const headers = { 'x-sim-seed': '99', 'x-sim-now': '2030-05-05T05:05:05Z', 'x-sim-sequence': '200' }
    const loud = { sandbox: 'loud', scenario: 'critical', headers }
    expect((await call(own, analyticsPath, loud)).text).not.toBe(before.text)
    const after = await call(own, analyticsPath)
    expect(after.text).toBe(before.text)
    expect(after.headers.get('date')).toBe(before.headers.get('date'))
    expect((await call(own, analyticsPath, { sandbox: 'loud' })).text).toBe(before.text)
  })

  test.for<[string, Record<string, string>, string]>([
    ['header and token', { 'x-sim-sandbox': 'a', authorization: 'Bearer k~b' }, ''],
    ['header and path', { 'x-sim-sandbox': 'a', authorization: 'Bearer k' }, '/_s/b'],
    ['token and path', { authorization: 'Bearer k~a' }, '/_s/b'],
    ['a header sent twice', { 'x-sim-sandbox': 'a, b', authorization: 'Bearer k' }, ''],
  ])('that names two sandboxes is refused, and nothing is stored: %s', async ([, headers, prefix], { own }) => {
    const response = await call(own, `${prefix}/v1/events`, { body: event(), token: null, headers })
    expectRefusal(response, 400, /more than one sandbox|is not a valid sandbox name/)
    expect(await listSandboxes(own)).toMatchObject([{ name: 'default', events: 0 }])
  })
})

const validNames = ['constructor', 'default', 'DEFAULT', '0', 'a.b_c-d', 'x'.repeat(64)]
test.each(validNames)('a sandbox can have the name %s', async (name) => {
  const response = await call(sim(), '/v1/events', { token: `k~${name}`, body: event() })
  expect([response.status, response.headers.get('x-sim-sandbox')]).toEqual([201, name])
  await callControl(sim(), 'POST', `/reset?sandbox=${name}`)
  expect((await listSandboxes(sim())).find((one) => one.name === name)).toMatchObject({ events: 0 })
})

const invalidNames = ['__proto__', '-a', '.a', 'a b', 'a/b', 'ä', '', 'x'.repeat(65), '../a', 'a\tb']
test.each(invalidNames)('neither a request nor the control plane can use the sandbox name %j', async (name) => {
  const before = namesOf(await listSandboxes(sim()))
  const bytes = Buffer.from(name).toString('latin1')
  const encoded = encodeURIComponent(name)
  const requests = [{ sandbox: bytes }, { token: `k~${bytes}` }, { path: `/_s/${encoded}${analyticsPath}` }]
  for (const { path = analyticsPath, ...options } of name === '' ? requests.slice(0, 2) : requests)
    expectRefusal(await call(sim(), path, options), 400, /name.* 1 to 64 letters/)
  expect((await call(sim(), `/__sim/reset?sandbox=${encoded}`, { method: 'POST' })).status).toBe(400)
  const put = await call(sim(), `/__sim/sandboxes/${encoded}`, { method: 'PUT', body: {} })
  expect(put.status).toBe(name === '' ? 404 : 400)
  expect(namesOf(await listSandboxes(sim())).sort()).toEqual(before.sort())
})

describe('creating a sandbox', () => {
  /** Starts a simulator with a system time controlled by the test. */
  async function startTimed(settings: Partial<Settings>) {
    const entries: LogEntry[] = []
    let now = Date.UTC(2026, 0, 15)
    const all = { ...defaultSettings(), port: 0, state: ':memory:', ...settings }
    const started = await start(all, { now: () => now, log: createLogRecorder(entries) })
    if (!started.ok) throw new Error(JSON.stringify(started.error))
    onTestFinished(() => started.value.close())
    const advance = (ms: number) => {
      now += ms
    }
    const evictions = () =>
      entries.filter(({ message }) => /evicted/.test(message)).map(({ level, fields }) => ({ level, ...fields }))
    return { sim: started.value, advance, evictions }
  }

  const use = (sim: Pick<TestSimulator, 'origin'>, name: string) =>
    call(sim, '/v1/events', { token: `k~${name}`, body: event({ insertId: 'x' }) })

  test('beyond --sandbox-limit evicts the least recently used sandbox and its data, and logs a warning', async () => {
    const { sim, evictions, advance } = await startTimed({ sandboxLimit: 4 })
    await putRules(sim, [{ scenario: 'slow' }], 'b')
    for (const name of ['a', 'b', 'c', 'a', 'd']) {
      await use(sim, name)
      advance(1000)
    }
    expect(namesOf(await listSandboxes(sim)).sort()).toEqual(['a', 'c', 'd', 'default'])
    expect(evictions()).toEqual([{ level: 'warn', sandbox: 'b', reason: 'limit' }])
    await use(sim, 'b')
    const list = await listSandboxes(sim)
    expect(namesOf(list)).toEqual(['a', 'd', 'default', 'b'])
    expect(list.at(-1)).toMatchObject({ events: 1, requests: 1, rules: 0 })
  })

  test('evicts each sandbox that has been idle for more than a day', async () => {
    const { sim, evictions, advance } = await startTimed({})
    await use(sim, 'old')
    advance(16 * 3_600_000)
    await use(sim, 'young')
    advance(8 * 3_600_000 + 1)
    await use(sim, 'young')
    expect(evictions()).toEqual([])
    await use(sim, 'new')
    expect(evictions()).toEqual([{ level: 'warn', sandbox: 'old', reason: 'idle' }])
    expect(namesOf(await listSandboxes(sim)).sort()).toEqual(['default', 'new', 'young'])
  })
})
