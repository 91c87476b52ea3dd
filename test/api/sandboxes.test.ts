import { expect } from 'vitest'
import {
  analyticsPath,
  ask,
  event,
  expectRefusal,
  prompt,
  type RequestOptions,
  readStateInfo,
  textOf,
} from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import { controlOperations } from '../support/control-operations.ts'
import { sharedSimulator } from '../support/shared.ts'
import { test } from '../support/start.ts'
import { listSandboxes } from '../support/stored-records.ts'

const sim = sharedSimulator()
const insert = event({ insertId: 'order-1' })

test('each way of naming leads to the same sandbox, which is not the default one', async ({ own }) => {
  const namings: [prefix: string, how: RequestOptions][] = [
    ['', { sandbox: 'worker-3' }],
    ['', { token: 'any-key~worker-3' }],
    ['/_s/worker-3', {}],
    ['/_s/worker-3', { token: 'k~worker-3', sandbox: 'worker-3' }],
  ]
  const ids = new Set<string>()
  for (const [prefix, how] of namings) {
    const response = await ask(own, `${prefix}/v1/events`, { body: insert, ...how })
    expect(response.headers.get('x-sim-sandbox')).toBe('worker-3')
    ids.add(textOf(response, 'eventId'))
  }
  expect(ids.size).toBe(1)
  expect(await readStateInfo(own)).toMatchObject({ events: 1, sandboxes: 1 })
  expect(ids).not.toContain(textOf(await ask(own, '/v1/events', { body: insert }), 'eventId'))
})

test('a bad sandbox name in a key is refused without the key, and the refusal names key~default', async () => {
  const token = 'sk~live secret'
  const response = await ask(sim(), analyticsPath, { token })
  expectRefusal(response, 400, 'key~default')
  expect(response.text).not.toContain('secret')
  expect((await ask(sim(), analyticsPath, { token: `${token}~default` })).status).toBe(200)
})

test('the list shows what a deletion loses', async ({ own }) => {
  const how = { sandbox: 'full' }
  await ask(own, '/v1/events', { body: insert, ...how })
  await ask(own, '/v1/prompts', { body: prompt(), ...how })
  await ask(own, analyticsPath, how)
  await ask(own, '/__sim/snapshots?sandbox=full', { method: 'POST' })
  await putRules(own, [{ scenario: '429' }], 'full')
  const full = (await listSandboxes(own)).find(({ name }) => name === 'full')
  expect(full).toMatchObject({ events: 1, prompts: 1, snapshots: 1, requests: 3, rules: 1 })
})

test('the list shows by a revision that the control plane has changed a sandbox, and which', async ({ own }) => {
  const readRevisions = async () =>
    Object.fromEntries((await listSandboxes(own)).map(({ name, revision }) => [name, revision]))
  for (const sandbox of ['one', 'two']) await putRules(own, [{ scenario: '429' }], sandbox)
  const before = await readRevisions()
  await ask(own, analyticsPath, { headers: { 'x-sim-sandbox': 'one' } })
  await steer(own, 'GET', '/scenarios?sandbox=one')
  await steer(own, 'POST', '/requests/count?sandbox=one', {})
  await ask(own, '/__sim/scenarios?sandbox=one', { method: 'PUT', body: { rules: [{ scenario: 'no' }] } })
  expect(await readRevisions()).toMatchObject(before)
  await putRules(own, [{ scenario: '503' }], 'one')
  const after = await readRevisions()
  expect(after['one']).not.toBe(before['one'])
  expect(after['two']).toBe(before['two'])
  await steer(own, 'PUT', '/sandboxes/two', { seed: 'other' })
  expect((await readRevisions())['two']).not.toBe(before['two'])
})

test('a question about a sandbox that does not exist creates none', async () => {
  for (const { id, method, path } of await controlOperations()) {
    if (method !== 'GET' || id === 'streamRequests') continue // which never ends
    await ask(sim(), `/__sim${path.replace(/\{\w+\}/g, 'x')}?sandbox=asked-by-${id}`, { token: null })
  }
  expect(JSON.stringify(await listSandboxes(sim()))).not.toContain('asked-by')
})
