import { request } from 'node:http'
import { expect, test } from 'vitest'
import { analyticsPath, ask, event, expectRefusal, objectOf, readStateInfo } from '../../support/client.ts'
import { steer } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'

const sim = sharedSimulator()

/** What a client of node:http noticed. `test/sweeps.test.ts` has the view of fetch. */
interface Noticed {
  /** The status, or undefined if no status line came. */
  readonly status?: number
  /** The body as far as it came. */
  readonly text: string
  readonly promised?: number
  readonly failure?: string
  readonly tookMs: number
}

const headersFor = (scenario: string) => ({ authorization: 'Bearer any-key', 'x-sim-scenario': scenario })

/** Asks for analytics under a scenario, and gives up after so many milliseconds. */
function askUnder(scenario: string, patience = 15_000): Promise<Noticed> {
  const started = performance.now()
  return new Promise((resolve) => {
    let seen: Pick<Noticed, 'status' | 'text' | 'promised'> = { text: '' }
    const end = (failure: object = {}) => resolve({ ...seen, ...failure, tookMs: performance.now() - started })
    const fail = ({ code, message }: NodeJS.ErrnoException) => end({ failure: code ? `${code}: ${message}` : message })
    const options = { headers: headersFor(scenario), agent: false, timeout: patience }
    const sent = request(sim().origin + analyticsPath, options, (answer) => {
      seen = { ...seen, status: answer.statusCode ?? 0, promised: Number(answer.headers['content-length']) }
      answer.setEncoding('utf8').on('data', (piece: string) => {
        seen = { ...seen, text: seen.text + piece }
      })
      answer.on('end', () => end()).on('error', fail)
    })
    sent.on('error', fail).on('timeout', () => sent.destroy(new Error('the client gave up')))
    sent.end()
  })
}

const parses = (text: string) => {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

test.each([
  ['reset', /^ECONNRESET: read ECONNRESET/],
  ['empty-response', /^ECONNRESET: socket hang up/],
  ['hang', /the client gave up/],
])('%s: no answer, and %s', async (scenario, failure) => {
  const seen = await askUnder(scenario, scenario === 'hang' ? 300 : undefined)
  expect(seen).toMatchObject({ text: '', failure: expect.stringMatching(failure) })
  expect(seen).not.toHaveProperty('status')
  if (scenario === 'hang') expect(seen.tookMs).toBeGreaterThan(290)
})

test.each([0, 0.25, 0.5, 0.99])('truncated: a status, %d of the body, then the end', async (keep) => {
  const { status, text, promised, failure } = await askUnder(`truncated;keep=${keep}`)
  expect([status, failure]).toEqual([200, 'ECONNRESET: aborted'])
  expect(Buffer.byteLength(text)).toBe(Math.floor((promised ?? Number.NaN) * keep))
})

test.each([0, 0.25, 0.99])('malformed-json: an answer that ends well, %d of it, and is no JSON', async (keep) => {
  const { status, text, promised, failure } = await askUnder(`malformed-json;keep=${keep}`)
  expect([status, failure, parses(text)]).toEqual([200, undefined, false])
  expect(Buffer.byteLength(text)).toBe(promised)
})

test('dribble: the whole answer, late', async () => {
  const { status, text, promised, failure, tookMs } = await askUnder('dribble;ms=200;pieces=5')
  expect([status, failure, parses(text)]).toEqual([200, undefined, true])
  expect(Buffer.byteLength(text)).toBe(promised)
  expect(tookMs).toBeGreaterThan(190)
})

test('a refusal can be late and truncated, too, but only one damage can happen', async () => {
  const { status, text, failure, tookMs } = await askUnder('slow;ms=100, server-error, truncated')
  expect([status, failure]).toEqual([500, 'ECONNRESET: aborted'])
  expect(text).toMatch(/^\{"success":false/)
  expect(tookMs).toBeGreaterThan(90)
  for (const scenario of ['reset, empty-response', 'hang, truncated', 'dribble, malformed-json'])
    expectRefusal(await ask(sim(), analyticsPath, { headers: { 'x-sim-scenario': scenario } }), 400, /cannot both act/)
})

test('a broken connection is the only one that breaks: others go on', async () => {
  const faults = ['reset', 'empty-response', 'truncated', 'hang']
  const broken = faults.map((fault) => askUnder(fault, 300))
  const whole = await Promise.all(Array.from({ length: 20 }, () => ask(sim(), analyticsPath)))
  expect(new Set(whole.map(({ status }) => status))).toEqual(new Set([200]))
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
  const before = objectOf({ body: await readStateInfo(sim()), status: 200 })['events']
  const unusable = fetch(`${sim().baseUrl}/events`, {
    method: 'POST',
    headers: { ...headersFor(scenario), 'content-type': 'application/json' },
    body: JSON.stringify(event()),
    signal: AbortSignal.timeout(2000), // the write has to arrive before
  }).then((answer) => answer.json())
  await expect(unusable).rejects.toThrow()
  const stored = Number(objectOf({ body: await readStateInfo(sim()), status: 200 })['events'])
  expect(stored - Number(before)).toBe(count)
})

test('an invalid request that is lost before the service sees it is not checked', async () => {
  const headers = { ...headersFor('reset'), 'x-sim-sandbox': 'unseen', 'content-type': 'application/json' }
  const lost = fetch(`${sim().baseUrl}/events`, { method: 'POST', headers, body: '{}' })
  await expect(lost).rejects.toThrow()
  const { violations, unexpected } = await steer(sim(), 'GET', '/report?sandbox=unseen')
  expect([violations, unexpected]).toMatchObject([{ requests: 0 }, { answers: 0 }])
})
