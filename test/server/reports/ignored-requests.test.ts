import { describe, expect, test } from 'vitest'
import { call, errorOf, type RequestOptions } from '../../support/client.ts'
import { callControl } from '../../support/control.ts'
import { connectTo } from '../../support/raw-http.ts'
import { startForTest } from '../../support/start.ts'
import { listRequests } from '../../support/stored-records.ts'

/** Sends a request to a new simulator and returns the report's request count and unexpected responses. */
async function countsAfter(path: string, options: RequestOptions) {
  const sim = await startForTest()
  await call(sim, path, { token: null, ...options })
  const { requests, unexpected } = await callControl(sim, 'GET', '/report?sandbox=*')
  return [requests, unexpected]
}

const noRequests = [0, { responses: 0 }]

describe('a request from a browser or a probe', () => {
  const paths = ['/favicon.ico', '/robots.txt', '/readyz', '/livez', '/apple-touch-icon.png', '/.well-known/x']
  const probe = ['/status', { headers: { 'user-agent': 'kube-probe/1.31' } }] as const
  test.each([...paths.map((path) => [path, {}] as const), probe])('is not in reports: %s %j', async (path, options) => {
    expect(await countsAfter(path, options)).toMatchObject(noRequests)
  })

  test('is not in reports: a page opened in a browser', async () => {
    const sim = await startForTest()
    const connection = await connectTo(sim.origin) // fetch would add Sec-Fetch-Mode: cors
    connection.send('GET /docs HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Dest: document\r\n\r\n')
    expect((await connection.response()).status).toBe(404)
    connection.destroy()
    const { requests, unexpected } = await callControl(sim, 'GET', '/report?sandbox=*')
    expect([requests, unexpected]).toMatchObject(noRequests)
  })
})

describe('a replay of a recorded request', () => {
  test('is in the journal with the ID of the recorded request, but not in any report', async () => {
    const sim = await startForTest()
    const headers = { 'x-sim-replay-of': 'req-7' }
    await call(sim, '/v1/events', { body: {}, headers })
    await call(sim, '/v1/events', { body: {}, headers })
    await call(sim, '/v1/nowhere', { headers })
    const none = { requests: 0, violations: { requests: 0 }, unexpected: { responses: 0 }, retries: { findings: [] } }
    expect(await callControl(sim, 'GET', '/report?sandbox=*')).toMatchObject(none)
    expect(await callControl(sim, 'GET', '/retries')).toMatchObject({ chains: [] })
    expect(await listRequests(sim)).toMatchObject([{ replayOf: 'req-7' }, {}, { replayOf: 'req-7' }])
  })

  test('is refused if it does not name a request', async () => {
    const sim = await startForTest()
    const response = await call(sim, '/v1/events', { body: {}, headers: { 'x-sim-replay-of': 'the last' } })
    expect(response.status).toBe(400)
    expect(errorOf(response)).toMatch(/the ID of a recorded request, such as req-7; got "the last"/)
  })

  test('is shown as a curl command without the replay header, so that reports count curl’s request', async () => {
    const sim = await startForTest()
    await call(sim, '/v1/events', { body: {}, headers: { 'x-sim-replay-of': 'req-7', 'x-team': 'a' } })
    const { text } = await call(sim, '/__sim/requests/req-1?format=curl', { token: null })
    expect(text).toContain('x-team')
    expect(text).not.toContain('req-7')
  })
})

describe('a request from a client', () => {
  test.each([
    ['if its path is unknown', '/v2/events', {}],
    ['if its path is one that browsers request, but its method is not GET', '/favicon.ico', { method: 'DELETE' }],
  ])('is reported as unexpected %s', async (_name, path, options) => {
    expect(await countsAfter(path, options)).toMatchObject([1, { responses: 1 }])
  })

  test('is counted if it matches an operation, whatever its User-Agent is', async () => {
    const headers = { 'user-agent': 'kube-probe/1.31' }
    expect(await countsAfter('/v1/models/x/analytics', { headers })).toMatchObject([1, { responses: 1 }])
  })
})

test('the favicon is an SVG image', async () => {
  const response = await call(await startForTest(), '/favicon.ico', { token: null })
  expect(response.headers.get('content-type')).toBe('image/svg+xml')
  expect(response.text).toMatch(/^<svg /)
})
