import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { parseUpstream } from '../../../src/server/upstream/parse-upstream.ts'
import { sendWithRetries } from '../../../src/server/upstream/send-with-retries.ts'
import { listenForTest } from '../../support/fake-upstream.ts'

interface Scripted {
  readonly status: number
  readonly headers?: Record<string, string>
}

/** Starts a service with scripted responses, the last one for ever. Returns a function that sends a request to it. */
async function startScripted(...responses: Scripted[]) {
  const requests: { method: string | undefined; url: string | undefined; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    const { status, headers: own } = responses[Math.min(requests.length, responses.length - 1)] ?? { status: 500 }
    requests.push({ method, url, authorization: headers.authorization })
    response.writeHead(status, { 'content-type': 'application/json', ...own })
    response.end('{}')
  })
  const port = await listenForTest(server)
  const upstream = parseUpstream(`http://127.0.0.1:${port}/v1`, true)
  if (!upstream.ok) throw new Error(upstream.error)
  const own = { token: 'a-secret-token', timeoutMs: 60_000, userAgent: 'test', now: () => 0 }
  const access = { ...own, upstream: upstream.value }
  const waits: number[] = []
  const sleep = async (ms: number) => waits.push(ms)
  const ask = async (method = 'GET', isRepeatable = method === 'GET') => {
    const request = { method, target: '/models?token=a-secret-token', body: method === 'GET' ? undefined : '{}' }
    const { samples, pauseMs } = await sendWithRetries(access, request, isRepeatable, { sleep, maxPauseMs: 60_000 })
    const statuses = samples.map(({ response }) => ('status' in response ? response.status : response.problem))
    return { statuses, pauseMs, samples }
  }
  return { ask, waits, requests }
}

test('a failure that may pass is tried again, later each time', async () => {
  const { ask, waits } = await startScripted({ status: 503 }, { status: 500 }, { status: 200 })
  expect((await ask()).statuses).toEqual([503, 500, 200])
  const [first = 0, second = 0] = waits
  expect(first).toBeGreaterThanOrEqual(250)
  expect(second).toBeGreaterThanOrEqual(500)
})

test('the wait that a service asks for is kept', async () => {
  const { ask, waits } = await startScripted({ status: 429, headers: { 'retry-after': '30' } }, { status: 200 })
  expect((await ask()).statuses).toEqual([429, 200])
  expect(waits).toEqual([30_000])
})

test('a wait beyond the bound ends the attempts', async () => {
  const { ask, requests } = await startScripted({ status: 429, headers: { 'retry-after': '61' } })
  expect(await ask()).toMatchObject({ statuses: [429], pauseMs: 61_000 })
  expect(requests).toHaveLength(1)
})

test('a write that failed is not done twice, but one that was refused is sent again', async () => {
  const failing = await startScripted({ status: 500 })
  expect((await failing.ask('POST')).statuses).toEqual([500])
  const refusing = await startScripted({ status: 429 }, { status: 201 })
  expect((await refusing.ask('POST')).statuses).toEqual([429, 201])
})

test('a redirect within the service is followed, for a read alone', async () => {
  const { ask, requests } = await startScripted({ status: 302, headers: { location: '/v2/models' } }, { status: 200 })
  expect((await ask()).statuses).toEqual([200])
  expect(requests.map(({ url }) => url)).toEqual(['/v1/models?token=a-secret-token', '/v2/models'])
  const writing = await startScripted({ status: 307, headers: { location: '/v2/models' } })
  expect((await writing.ask('POST')).statuses).toEqual(['redirect'])
})

test('a sample has no credential, and the service had it', async () => {
  const { ask, requests } = await startScripted({ status: 200, headers: { 'set-cookie': 'sid=a-secret-token' } })
  const { samples } = await ask()
  expect(requests[0]?.authorization).toBe('Bearer a-secret-token')
  expect(JSON.stringify(samples)).not.toContain('a-secret-token')
})
