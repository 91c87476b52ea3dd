import { execFile, spawnSync } from 'node:child_process'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { analyticsPath, ask, event, expectRefusal, objectOf, readStateInfo } from '../../support/client.ts'
import { steer } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'

const sim = sharedSimulator()

/** How long a client waits for an answer that does not come, milliseconds. */
const impatient = 300

/** ... and for one that does. */
const patient = 15_000

/** What a client noticed, in its own words. */
interface Noticed {
  /** Undefined: no status line came. */
  readonly status?: number
  /** The body as far as it came. */
  readonly text: string
  readonly promised?: number
  /** The client's own name for what went wrong; undefined: nothing did. */
  readonly failure?: string
}

/** How a client asks for analytics under a scenario, and gives up after so many milliseconds. */
type Client = (scenario: string, patience?: number) => Promise<Noticed>

const url = () => sim().origin + analyticsPath
const headersFor = (scenario: string) => ({ authorization: 'Bearer any-key', 'x-sim-scenario': scenario })

function byHttp(scenario: string, patience = patient): Promise<Noticed> {
  return new Promise((resolve) => {
    let seen: Noticed = { text: '' }
    const fail = (error: NodeJS.ErrnoException) =>
      resolve({ ...seen, failure: [error.code ?? [], error.message].flat().join(': ') })
    const sent = request(url(), { headers: headersFor(scenario), agent: false, timeout: patience }, (answer) => {
      seen = { ...seen, status: answer.statusCode ?? 0, promised: Number(answer.headers['content-length']) }
      answer.setEncoding('utf8').on('data', (piece: string) => {
        seen = { ...seen, text: seen.text + piece }
      })
      answer.on('end', () => resolve(seen)).on('error', fail)
    })
    sent.on('error', fail).on('timeout', () => sent.destroy(new Error('the client gave up')))
    sent.end()
  })
}

function byCurl(scenario: string, patience = patient): Promise<Noticed> {
  const headers = Object.entries(headersFor(scenario)).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = ['-s', '-q', '-i', '--noproxy', '*', '-m', String(patience / 1000), ...headers, url()]
  return new Promise((resolve) => {
    execFile('curl', args, (error, stdout) => {
      const [, head = '', text = ''] = /^(HTTP.*?)\r\n\r\n(.*)$/s.exec(stdout) ?? []
      const [, status] = /^HTTP\S+ (\d+)/.exec(head) ?? []
      const [, promised] = /^content-length: (\d+)/im.exec(head) ?? []
      resolve({
        text,
        ...(status !== undefined && { status: Number(status) }),
        ...(promised !== undefined && { promised: Number(promised) }),
        ...(error && { failure: `curl ${error.code}` }),
      })
    })
  })
}

const hasCurl = spawnSync('curl', ['--version']).status === 0

/** How each client says that a connection was reset, closed, cut, or silent for too long. */
type Says = Record<'reset' | 'closed' | 'cut' | 'silent', RegExp>
const nodeHttp: Says = {
  ...{ reset: /^ECONNRESET: read ECONNRESET/, closed: /^ECONNRESET: socket hang up/ },
  ...{ cut: /^ECONNRESET: aborted/, silent: /the client gave up/ },
}
const curl: Says = { reset: /^curl 56$/, closed: /^curl 52$/, cut: /^curl 18$/, silent: /^curl 28$/ }
const clients: { name: string; ask: Client; skip?: boolean; says: Says }[] = [
  { name: 'node:http', ask: byHttp, says: nodeHttp },
  { name: hasCurl ? 'curl' : 'curl (not installed here: left out)', ask: byCurl, skip: !hasCurl, says: curl },
]

const parses = (text: string) => {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

describe.each(clients)('$name sees', ({ ask: askAs, says, skip = false }) => {
  test.skipIf(skip).each([
    ['reset', 'reset, without an answer', says.reset],
    ['empty-response', 'closed, without an answer', says.closed],
  ])('%s: the connection %s', async (scenario, _end, expected) => {
    const { status, text, failure } = await askAs(scenario)
    expect([status, text]).toEqual([undefined, ''])
    expect(failure).toMatch(expected)
  })

  test.skipIf(skip).each([0, 0.25, 0.5, 0.99])('truncated: a status, %d of the body, then the end', async (keep) => {
    const { status, text, promised, failure } = await askAs(`truncated;keep=${keep}`)
    expect(status).toBe(200)
    expect(failure).toMatch(says.cut)
    expect(Buffer.byteLength(text)).toBe(Math.floor((promised ?? Number.NaN) * keep))
  })

  test.skipIf(skip).each([0, 0.25, 0.99])(
    'malformed-json: an answer that ends well, %d of it, and is no JSON',
    async (keep) => {
      const { status, text, promised, failure } = await askAs(`malformed-json;keep=${keep}`)
      expect([status, failure]).toEqual([200, undefined])
      expect(Buffer.byteLength(text)).toBe(promised)
      expect(parses(text)).toBe(false)
    },
  )

  test.skipIf(skip)('hang: nothing, until it gives up itself', async () => {
    const started = performance.now()
    const { status, text, failure } = await askAs('hang', impatient)
    expect([status, text]).toEqual([undefined, ''])
    expect(failure).toMatch(says.silent)
    expect(performance.now() - started).toBeGreaterThan(impatient - 10)
  })

  test.skipIf(skip)('dribble: the whole answer, late', async () => {
    const started = performance.now()
    const { status, text, promised, failure } = await askAs('dribble;ms=200;pieces=5')
    expect([status, failure, parses(text)]).toEqual([200, undefined, true])
    expect(Buffer.byteLength(text)).toBe(promised)
    expect(performance.now() - started).toBeGreaterThan(190)
  })
})

test('a refusal can be late and truncated, too, but only one damage can happen', async () => {
  const started = performance.now()
  const { status, text, failure } = await byHttp('slow;ms=100, server-error, truncated')
  expect([status, failure]).toEqual([500, 'ECONNRESET: aborted'])
  expect(text).toMatch(/^\{"success":false/)
  expect(performance.now() - started).toBeGreaterThan(90)
  for (const scenario of ['reset, empty-response', 'hang, truncated', 'dribble, malformed-json'])
    expectRefusal(await ask(sim(), analyticsPath, { headers: { 'x-sim-scenario': scenario } }), 400, /cannot both act/)
})

test('a broken connection is the only one that breaks: others go on', async () => {
  const faults = ['reset', 'empty-response', 'truncated', 'hang']
  const broken = faults.map((fault) => byHttp(fault, impatient))
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
