import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { ask, event, expectRefusal } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

const control = (path: string, body?: JsonObject) => ask(sim(), `/__sim${path}`, { token: null, ...(body && { body }) })

const none = { count: { exactly: 0 } }
const verify = (query: JsonObject) => control('/verify', { ...query, ...none })
const count = (query: JsonObject) => control('/requests/count', query)

describe('a name that does not exist proves no absence', () => {
  test.each([
    ['an unknown operation', { operation: 'createEvnt' }, /no operation "createEvnt".*createEvent/],
    ['an unknown pointer', { match: { body: { '/eventTyp': 'a' } } }, /field "\/eventTyp".*\/eventType/],
    ['a field of another', { operation: 'createEvent', match: { body: { '/name': 'a' } } }, /field "\/name"/],
    ['a misspelt parameter', { match: { query: { perod: '7d' } } }, /parameter "perod"\. Did you mean "period"\?/],
  ])('in verify and count: %s', async (_name, query, message) => {
    for (const control of [verify, count]) {
      expectRefusal(await control(query), 400, message)
      expect((await control({ ...query, force: true })).status).toBe(200)
    }
  })

  test.each(['/eventType', '/properties/plan', ''])('but the field "%s" exists', async (pointer) => {
    const query = { operation: 'createEvent', match: { body: { [pointer]: 'x' } }, ...none }
    expect((await control('/verify', query)).status).toBe(200)
  })

  test('in the list of requests and in its stream', async () => {
    for (const path of ['/requests?operation=foo', '/requests/stream?operation=foo']) {
      expectRefusal(await control(path), 400, /no operation "foo"/)
    }
  })
})

describe('a sandbox that was never used', () => {
  test.each(['/report', '/retries'])('has no %s', async (path) => {
    expectRefusal(await control(`${path}?sandbox=tpyo`), 404, /"tpyo" was never used/)
    expect((await control(path)).status).toBe(200)
    expect((await control(`${path}?sandbox=*`)).status).toBe(200)
  })

  test('proves no absence, unless that is forced', async () => {
    expect((await control('/verify?sandbox=tpyo', none)).status).toBe(404)
    expect((await control('/verify?sandbox=tpyo', { ...none, force: true })).status).toBe(200)
    expect((await control('/verify?sandbox=tpyo', { count: { atLeast: 1 } })).status).toBe(417)
  })

  test('is known once a request, or a control, has used it', async () => {
    await ask(sim(), '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'used' } })
    expect((await control('/report?sandbox=used')).status).toBe(200)
    expect((await control('/verify?sandbox=used', { operation: 'createPrompt', ...none })).status).toBe(200)
  })
})
