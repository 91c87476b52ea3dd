import { request } from 'node:http'
import { expect, test } from 'vitest'
import { analyticsPath, ask, event, expectRefusal } from '../../support/client.ts'
import { steer } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { readEventPage } from '../../support/stored-records.ts'

const sim = sharedSimulator()

/** An answer as a client of node:http receives it; `test/sweeps.test.ts` has the same for fetch. */
interface ReceivedAnswer {
  /** The status; absent if no status line came. */
  readonly status?: number
  /** The received part of the body. */
  readonly text: string
  /** The Content-Length. */
  readonly announcedBytes?: number
  /** The code and the message of the client's error. */
  readonly failure?: string
  readonly tookMs: number
}

const headersFor = (scenario: string) => ({ authorization: 'Bearer any-key', 'x-sim-scenario': scenario })

/** Requests analytics under a scenario. */
function askUnder(scenario: string, timeoutMs = 15_000): Promise<ReceivedAnswer> {
  const started = performance.now()
  return new Promise((resolve) => {
    let received: Pick<ReceivedAnswer, 'status' | 'text' | 'announcedBytes'> = { text: '' }
    const end = (failure: object = {}) => resolve({ ...received, ...failure, tookMs: performance.now() - started })
    const fail = ({ code, message }: NodeJS.ErrnoException) => end({ failure: code ? `${code}: ${message}` : message })
    const options = { headers: headersFor(scenario), agent: false, timeout: timeoutMs }
    const sent = request(sim().origin + analyticsPath, options, (answer) => {
      received = { status: answer.statusCode ?? 0, text: '', announcedBytes: Number(answer.headers['content-length']) }
      answer.setEncoding('utf8').on('data', (piece: string) => {
        received = { ...received, text: received.text + piece }
      })
      answer.on('end', () => end()).on('error', fail)
    })
    sent.on('error', fail).on('timeout', () => sent.destroy(new Error('the client gave up')))
    sent.end()
  })
}

test.each([0, 0.25, 0.5, 0.99])('truncated: a status and %d of the body, then the connection ends', async (keep) => {
  const { status, text, announcedBytes, failure } = await askUnder(`truncated;keep=${keep}`)
  expect([status, failure]).toEqual([200, 'ECONNRESET: aborted'])
  expect(Buffer.byteLength(text)).toBe(Math.floor((announcedBytes ?? Number.NaN) * keep))
})

test.each([0, 0.25, 0.99])('malformed-json: a complete answer with %d of the JSON', async (keep) => {
  const { status, text, announcedBytes, failure } = await askUnder(`malformed-json;keep=${keep}`)
  expect([status, failure]).toEqual([200, undefined])
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(Buffer.byteLength(text)).toBe(announcedBytes)
})

test('a refusal can be late and truncated, but two kinds of damage cannot act on one answer', async () => {
  const { status, text, failure, tookMs } = await askUnder('slow;ms=100, server-error, truncated')
  expect([status, failure]).toEqual([500, 'ECONNRESET: aborted'])
  expect(text).toMatch(/^\{"success":false/)
  expect(tookMs).toBeGreaterThan(90)
  for (const scenario of ['reset, empty-response', 'hang, truncated', 'dribble, malformed-json'])
    expectRefusal(await ask(sim(), analyticsPath, { headers: { 'x-sim-scenario': scenario } }), 400, /cannot both act/)
})

test('a broken connection breaks no other connection', async () => {
  const faults = ['reset', 'empty-response', 'truncated', 'hang']
  const broken = faults.map((fault) => askUnder(fault, 300))
  const others = await Promise.all(Array.from({ length: 20 }, () => ask(sim(), analyticsPath)))
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  for (const { failure } of await Promise.all(broken)) expect(failure).toBeDefined()
})

test.each([
  ['reset', 0],
  ['reset;when=after', 1],
  ['empty-response', 0],
  ['empty-response;when=after', 1],
  ['hang', 0],
  ['hang;when=after', 1],
  ['truncated', 1],
  ['truncated;when=before', 0],
  ['malformed-json', 1],
  ['malformed-json;when=before', 0],
])('%s stores %d events', async (scenario, count) => {
  const { total } = await readEventPage(sim())
  const unusable = fetch(`${sim().baseUrl}/events`, {
    method: 'POST',
    headers: { ...headersFor(scenario), 'content-type': 'application/json' },
    body: JSON.stringify(event()),
    signal: AbortSignal.timeout(2000), // ends a hang, long after the event is stored
  }).then((answer) => answer.json())
  await expect(unusable).rejects.toThrow()
  expect((await readEventPage(sim())).total).toBe(total + count)
})

test('an invalid request that is lost before the service sees it is not checked', async () => {
  const headers = { ...headersFor('reset'), 'x-sim-sandbox': 'unseen', 'content-type': 'application/json' }
  const lost = fetch(`${sim().baseUrl}/events`, { method: 'POST', headers, body: '{}' })
  await expect(lost).rejects.toThrow()
  const { violations, unexpected } = await steer(sim(), 'GET', '/report?sandbox=unseen')
  expect([violations, unexpected]).toMatchObject([{ requests: 0 }, { answers: 0 }])
})
