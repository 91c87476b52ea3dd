import { expect, test } from 'vitest'
import { ask, errorOf, event, objectOf, readStateInfo } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'

const shared = sharedSimulator({ controlToken: 'a-token' })

const open = { token: null }

test('scripts written for WireMock can count, find, list, delete and reset', async () => {
  const sim = await startForTest()
  await ask(sim, '/v1/events?x=1', { body: event(), headers: { 'x-team': 'a' } })
  await ask(sim, '/v1/nowhere')
  const pattern = { method: 'POST', urlPath: '/v1/events', headers: { 'X-Team': { equalTo: 'a' } } }
  const count = objectOf(await ask(sim, '/__admin/requests/count', { ...open, body: pattern }))
  expect(count).toEqual({ count: 1, truncated: false, requestJournalDisabled: false })
  const found = objectOf(await ask(sim, '/__admin/requests/find', { ...open, body: pattern }))
  expect(found).toMatchObject({
    requests: [
      {
        url: '/v1/events?x=1',
        absoluteUrl: `${sim.origin}/v1/events?x=1`,
        method: 'POST',
        headers: { 'x-team': 'a' },
        body: JSON.stringify(event()),
      },
    ],
  })
  const listed = objectOf(await ask(sim, '/__admin/requests?limit=1', open))
  expect(listed).toMatchObject({
    requests: [{ request: { url: '/v1/nowhere' }, response: { status: 404 }, wasMatched: false }],
    meta: { total: 2 },
  })
  expect((await ask(sim, '/__admin/requests', { ...open, method: 'DELETE' })).status).toBe(200)
  expect(objectOf(await ask(sim, '/__admin/requests', open))).toMatchObject({ meta: { total: 0 } })
  expect(await readStateInfo(sim)).toMatchObject({ events: 1 })
  expect((await ask(sim, '/__admin/reset', { ...open, method: 'POST' })).status).toBe(200)
  expect(await readStateInfo(sim)).toMatchObject({ events: 0 })
})

test('a pattern with an unsupported part is refused', async () => {
  const sim = await startForTest()
  const answer = await ask(sim, '/__admin/requests/count', { ...open, body: { scheme: 'https' } })
  expect([answer.status, errorOf(answer)]).toEqual([400, expect.stringMatching(/"scheme".*not understood/)])
})

test('a regular expression that takes too long is stopped, and the simulator goes on', async () => {
  const sim = await startForTest()
  await ask(sim, `/v1/${'a'.repeat(40)}!`)
  for (const path of ['count', 'find']) {
    const body = { urlPathPattern: '/v1/(a+)+b' }
    const answer = await ask(sim, `/__admin/requests/${path}`, { ...open, body })
    expect([answer.status, errorOf(answer)]).toEqual([400, expect.stringMatching(/repetition within/)])
  }
  expect((await ask(sim, '/healthz', open)).status).toBe(200)
})

test('every list and count says whether the journal has dropped requests', async () => {
  const sim = await startForTest({ journalSize: 1 })
  const askAll = async () => [
    await ask(sim, '/__admin/requests', open),
    await ask(sim, '/__admin/requests/find', { ...open, body: {} }),
    await ask(sim, '/__admin/requests/count', { ...open, body: {} }),
  ]
  for (const truncated of [false, true]) {
    await ask(sim, '/v1/events', { body: event() })
    for (const answer of await askAll()) expect(objectOf(answer)).toMatchObject({ truncated })
  }
})

test('--journal-size 0 is shown as requestJournalDisabled', async () => {
  const sim = await startForTest({ journalSize: 0 })
  const body = objectOf(await ask(sim, '/__admin/requests', open))
  expect(body).toMatchObject({ requestJournalDisabled: true })
})

test.each([
  ['/__admin/requests', 'GET'],
  ['/__admin/requests/count', 'POST'],
  ['/__admin/reset', 'POST'],
  ['/__admin', 'GET'],
])('%s is guarded like the control plane', async (path, method) => {
  const how = { method, ...(method === 'POST' && { body: {} }) }
  expect((await ask(shared(), path, { ...how, token: 'another' })).status).toBe(401)
  const foreign = { ...how, token: 'a-token', headers: { origin: 'https://example.com' } }
  expect((await ask(shared(), path, foreign)).status).toBe(403)
  const known = path === '/__admin' ? 404 : 200
  expect((await ask(shared(), path, { ...how, token: 'a-token' })).status).toBe(known)
})

test.each([
  [
    'GET',
    '/__admin/mappings',
    404,
    /at \/__admin\/mappings\. .*POST \/__admin\/requests\/count,.*under \/__sim/,
  ],
  ['PUT', '/__admin/requests', 405, /on \/__admin\/requests\. Allowed/],
])('the refusal of the unknown %s %s names the paths under /__admin', async (method, path, status, says) => {
  const answer = await ask(shared(), path, { method, token: 'a-token' })
  expect([answer.status, errorOf(answer)]).toEqual([status, expect.stringMatching(says)])
  expect(errorOf(answer)).not.toContain('wiremock/')
})
