import { describe, expect, test } from 'vitest'
import { ask, type RequestOptions } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { connectTo } from '../support/raw-http.ts'
import { startForTest } from '../support/start.ts'

/** Returns the number of requests and of unexpected answers after one request. */
async function countsAfter(path: string, how: RequestOptions) {
  const own = await startForTest()
  await ask(own, path, { token: null, ...how })
  const { requests, unexpected } = await steer(own, 'GET', '/report?sandbox=*')
  return [requests, unexpected]
}

const nothing = [0, { answers: 0 }]

describe('a request that no client sends', () => {
  test.each(['/favicon.ico', '/robots.txt', '/readyz', '/livez', '/apple-touch-icon.png', '/.well-known/x'])(
    'is not in the reports: %s',
    async (path) => expect(await countsAfter(path, {})).toMatchObject(nothing),
  )

  test('is not in the reports: a page that a browser shows', async () => {
    const own = await startForTest()
    const connection = await connectTo(own.origin) // fetch sets Sec-Fetch-Dest by itself
    connection.send('GET /docs HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Dest: document\r\n\r\n')
    expect((await connection.answer()).status).toBe(404)
    connection.destroy()
    const { requests, unexpected } = await steer(own, 'GET', '/report?sandbox=*')
    expect([requests, unexpected]).toMatchObject(nothing)
  })

  test('is not in the reports: a probe', async () => {
    const headers = { 'user-agent': 'kube-probe/1.31' }
    expect(await countsAfter('/status', { headers })).toMatchObject(nothing)
  })
})

describe('a request that a client sends', () => {
  test.each([
    ['to an unknown path', '/v2/events', {}],
    ['with another method', '/favicon.ico', { method: 'DELETE' }],
  ])('is unexpected %s', async (_name, path, how) => {
    expect(await countsAfter(path, how)).toMatchObject([1, { answers: 1 }])
  })

  test('counts for its operation, whoever sends it', async () => {
    const headers = { 'user-agent': 'kube-probe/1.31' }
    expect(await countsAfter('/v1/models/x/analytics', { headers })).toMatchObject([1, { answers: 1 }])
  })
})

test('the icon is an image', async () => {
  const answer = await ask(await startForTest(), '/favicon.ico', { token: null })
  expect(answer.headers.get('content-type')).toBe('image/svg+xml')
  expect(answer.text).toMatch(/^<svg /)
})
