import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createUpstreamClient } from '../../../src/server/upstream/client.ts'
import { parseUpstream } from '../../../src/server/upstream/parse-upstream.ts'
import { readPause, sendWithRetries } from '../../../src/server/upstream/send.ts'
import { listenForTest } from '../../support/fake-upstream.ts'

interface ScriptedResponse {
  readonly status: number
  readonly headers?: Record<string, string>
}

/** Starts a service that returns `responses` in order and then repeats the last one. The returned `send` calls it. */
async function startService(...responses: ScriptedResponse[]) {
  const requests: { method: string | undefined; url: string | undefined; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    const { status, headers: extra } = responses[Math.min(requests.length, responses.length - 1)] ?? { status: 500 }
    requests.push({ method, url, authorization: headers.authorization })
    response.writeHead(status, { 'content-type': 'application/json', ...extra })
    response.end('{}')
  })
  const port = await listenForTest(server)
  const upstream = parseUpstream(`http://127.0.0.1:${port}/v1`, true)
  if (!upstream.ok) throw new Error(upstream.error)
  const client = createUpstreamClient({ ...upstream.value, token: 'a-secret-token', timeoutMs: 60_000 })
  const waits: number[] = []
  const retryOptions = { now: () => 0, sleep: async (ms: number) => waits.push(ms), maxPauseMs: 60_000 }
  const send = async (method = 'GET') => {
    const isRead = method === 'GET'
    const request = { method, target: '/models?token=a-secret-token', body: isRead ? undefined : '{}' }
    const { samples, pauseMs } = await sendWithRetries(client, request, isRead, retryOptions)
    const statuses = samples.map(({ response }) => ('status' in response ? response.status : response.problem))
    return { statuses, pauseMs, samples }
  }
  return { send, waits, requests }
}

const limited = (status: number, seconds: string): ScriptedResponse => ({ status, headers: { 'retry-after': seconds } })

test.each<[string, string, ScriptedResponse[], object]>([
  ['the client waits as long as Retry-After says', 'GET', [limited(429, '30'), { status: 200 }], { waits: [30_000] }],
  ['no retry follows if the wait exceeds the limit', 'GET', [limited(429, '61')], { statuses: [429], pauseMs: 61_000 }],
  ['a write that failed with 500 is not sent again', 'POST', [{ status: 500 }], { statuses: [500] }],
  ['a write refused with 429 is sent again', 'POST', [{ status: 429 }, { status: 201 }], { statuses: [429, 201] }],
  ['a redirect is not followed', 'GET', [{ status: 302, headers: { location: '/v2' } }], { statuses: [302] }],
])('%s', async (_title, method, responses, expected) => {
  const { send, waits, requests } = await startService(...responses)
  expect({ ...(await send(method)), waits }).toMatchObject(expected)
  expect(requests).toHaveLength(responses.length)
})

test('a request that fails transiently is retried with back-off', async () => {
  const { send, waits } = await startService({ status: 503 }, { status: 500 }, { status: 200 })
  expect((await send()).statuses).toEqual([503, 500, 200])
  expect(waits).toEqual([500, 1000])
})

test('a sample contains no credentials, even if the request and the response contained some', async () => {
  const { send, requests } = await startService({ status: 200, headers: { 'set-cookie': 'sid=a-secret-token' } })
  const { samples } = await send()
  expect(requests[0]?.authorization).toBe('Bearer a-secret-token')
  expect(JSON.stringify(samples)).not.toContain('a-secret-token')
})

const now = Date.parse('2026-01-15T12:00:00Z')

test.each([
  [429, { 'retry-after': '3' }, 3000],
  [503, { 'retry-after': 'Thu, 15 Jan 2026 12:00:05 GMT' }, 5000],
  [200, { 'retry-after': '3' }, 0],
  [429, { 'retry-after': 'soon' }, 0],
  [200, {}, 0],
])('a %d response with the headers %o requires a wait of %d ms', (status, headers, ms) => {
  expect(readPause(status, headers, now)).toBe(ms)
})
