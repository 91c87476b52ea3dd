import { describe, expect, test } from 'vitest'
import { ask, errorOf, type RequestOptions } from '../../support/client.ts'
import { steer } from '../../support/control.ts'
import { connectTo } from '../../support/raw-http.ts'
import { startForTest } from '../../support/start.ts'
import { listRequests } from '../../support/stored-records.ts'

/** Returns the numbers of requests and of unexpected responses after one request. */
async function countsAfter(path: string, how: RequestOptions) {
  const own = await startForTest()
  await ask(own, path, { token: null, ...how })
  const { requests, unexpected } = await steer(own, 'GET', '/report?sandbox=*')
  return [requests, unexpected]
}

const nothing = [0, { responses: 0 }]

describe('a request not sent by a client', () => {
  const paths = ['/favicon.ico', '/robots.txt', '/readyz', '/livez', '/apple-touch-icon.png', '/.well-known/x']
  const probe = ['/status', { headers: { 'user-agent': 'kube-probe/1.31' } }] as const
  test.each([...paths.map((path) => [path, {}] as const), probe])('is not in the reports: %s %j', async (path, how) => {
    expect(await countsAfter(path, how)).toMatchObject(nothing)
  })

  test('is not in the reports: a page shown by a browser', async () => {
    const own = await startForTest()
    const connection = await connectTo(own.origin) // fetch sets Sec-Fetch-Dest by itself
    connection.send('GET /docs HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Dest: document\r\n\r\n')
    expect((await connection.response()).status).toBe(404)
    connection.destroy()
    const { requests, unexpected } = await steer(own, 'GET', '/report?sandbox=*')
    expect([requests, unexpected]).toMatchObject(nothing)
  })
})

describe('a replay of a recorded request', () => {
  test('is in the journal with that request’s id, and in no report', async () => {
    const own = await startForTest()
    const headers = { 'x-sim-replay-of': 'req-7' }
    await ask(own, '/v1/events', { body: {}, headers })
    await ask(own, '/v1/events', { body: {}, headers })
    await ask(own, '/v1/nowhere', { headers })
    const none = { requests: 0, violations: { requests: 0 }, unexpected: { responses: 0 }, retries: { findings: [] } }
    expect(await steer(own, 'GET', '/report?sandbox=*')).toMatchObject(none)
    expect(await steer(own, 'GET', '/retries')).toMatchObject({ chains: [] })
    expect(await listRequests(own)).toMatchObject([{ replayOf: 'req-7' }, {}, { replayOf: 'req-7' }])
  })

  test('is refused if it names no request', async () => {
    const own = await startForTest()
    const response = await ask(own, '/v1/events', { body: {}, headers: { 'x-sim-replay-of': 'the last' } })
    expect(response.status).toBe(400)
    expect(errorOf(response)).toMatch(/the id of a recorded request, such as req-7; got "the last"/)
  })

  test('is copied as a command without the header, since the command is a client', async () => {
    const own = await startForTest()
    await ask(own, '/v1/events', { body: {}, headers: { 'x-sim-replay-of': 'req-7', 'x-team': 'a' } })
    const { text } = await ask(own, '/__sim/requests/req-1?format=curl', { token: null })
    expect(text).toContain('x-team')
    expect(text).not.toContain('req-7')
  })
})

describe('a request that a client sends', () => {
  test.each([
    ['to an unknown path', '/v2/events', {}],
    ['with another method', '/favicon.ico', { method: 'DELETE' }],
  ])('is unexpected %s', async (_name, path, how) => {
    expect(await countsAfter(path, how)).toMatchObject([1, { responses: 1 }])
  })

  test('counts for its operation, whatever its user agent', async () => {
    const headers = { 'user-agent': 'kube-probe/1.31' }
    expect(await countsAfter('/v1/models/x/analytics', { headers })).toMatchObject([1, { responses: 1 }])
  })
})

test('the icon is an image', async () => {
  const response = await ask(await startForTest(), '/favicon.ico', { token: null })
  expect(response.headers.get('content-type')).toBe('image/svg+xml')
  expect(response.text).toMatch(/^<svg /)
})
