import { execFile, spawnSync } from 'node:child_process'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { analyticsPath, ask, event, objectOf, readStateInfo } from '../../support/client.ts'
import { steer } from '../../support/control.ts'
import { connectTo } from '../../support/raw-http.ts'
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
  /** In how many pieces the body came, where the client can tell. */
  readonly pieces?: number
}

/** How a client asks for analytics under a scenario, and gives up after so many milliseconds. */
type Client = (scenario: string, patience?: number) => Promise<Noticed>

const url = () => sim().origin + analyticsPath
const headersFor = (scenario: string) => ({ authorization: 'Bearer any-key', 'x-sim-scenario': scenario })

/** Node's global fetch, which is undici. */
async function byFetch(scenario: string, patience = patient): Promise<Noticed> {
  const decoder = new TextDecoder()
  let seen: Omit<Noticed, 'text'> = {}
  let text = ''
  let pieces = 0
  try {
    const signal = AbortSignal.timeout(patience)
    const response = await fetch(url(), { headers: headersFor(scenario), signal })
    seen = { status: response.status, promised: Number(response.headers.get('content-length')) }
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true })
      pieces += 1
    }
    return { ...seen, text, pieces }
  } catch (error) {
    return { ...seen, text, failure: nameOf(error) }
  }
}

function nameOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause && typeof cause.code === 'string' ? `${cause.code}: ` : ''
  return `${code}${cause.name === 'Error' || code ? cause.message : cause.name}`
}

function byHttp(scenario: string, patience = patient): Promise<Noticed> {
  return new Promise((resolve) => {
    let seen: Noticed = { text: '', pieces: 0 }
    const fail = (error: unknown) => resolve({ ...seen, failure: nameOf(error) })
    const sent = request(url(), { headers: headersFor(scenario), agent: false, timeout: patience }, (answer) => {
      seen = { ...seen, status: answer.statusCode ?? 0, promised: Number(answer.headers['content-length']) }
      answer.setEncoding('utf8').on('data', (piece: string) => {
        seen = { ...seen, text: seen.text + piece, pieces: (seen.pieces ?? 0) + 1 }
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
const undici: Says = {
  ...{ reset: /^ECONNRESET/, silent: /aborted due to timeout|^TimeoutError/ },
  ...{ closed: /^UND_ERR_SOCKET: other side closed/, cut: /^UND_ERR_SOCKET: other side closed/ },
}
const nodeHttp: Says = {
  ...{ reset: /^ECONNRESET: read ECONNRESET/, closed: /^ECONNRESET: socket hang up/ },
  ...{ cut: /^ECONNRESET: aborted/, silent: /the client gave up/ },
}
const curl: Says = { reset: /^curl 56$/, closed: /^curl 52$/, cut: /^curl 18$/, silent: /^curl 28$/ }
const clients: { name: string; ask: Client; skip?: boolean; says: Says }[] = [
  { name: "Node's fetch, which is undici", ask: byFetch, says: undici },
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
  test.skipIf(skip)('the whole answer, where nothing is switched on', async () => {
    const { status, text, promised, failure } = await askAs('200')
    expect([status, failure, parses(text)]).toEqual([200, undefined, true])
    expect(Buffer.byteLength(text)).toBe(promised)
  })

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
    const { status, text, promised, failure, pieces } = await askAs('dribble;ms=200;pieces=5')
    expect([status, failure, parses(text)]).toEqual([200, undefined, true])
    expect(Buffer.byteLength(text)).toBe(promised)
    expect(performance.now() - started).toBeGreaterThan(190)
    if (pieces !== undefined) expect(pieces).toBeGreaterThan(1)
  })

  test.skipIf(skip)('slow: the whole answer, late', async () => {
    const started = performance.now()
    const { status, failure } = await askAs('slow;ms=150')
    expect([status, failure]).toEqual([200, undefined])
    expect(performance.now() - started).toBeGreaterThan(140)
  })
})

describe('what goes together', () => {
  test('a truncated refusal', async () => {
    const { status, text, failure } = await byHttp('server-error, truncated')
    expect([status, failure]).toEqual([500, 'ECONNRESET: aborted'])
    expect(text).toMatch(/^\{"success":false/)
  })

  test('a malformed refusal, late', async () => {
    const started = performance.now()
    const { status, text } = await byFetch('slow;ms=100, unavailable, malformed-json;keep=0.2')
    expect([status, parses(text)]).toEqual([503, false])
    expect(performance.now() - started).toBeGreaterThan(90)
  })

  test.each(['reset, empty-response', 'hang, truncated', 'dribble, malformed-json'])(
    'not %s: only one of them could happen',
    async (scenario) => {
      const answer = await ask(sim(), analyticsPath, { headers: { 'x-sim-scenario': scenario } })
      expect(answer.status).toBe(400)
      expect(objectOf(answer)['error']).toMatch(/cannot both act/)
    },
  )
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

test('hang keeps the connection open: nothing comes, and it is not closed', async () => {
  const connection = await connectTo(sim().origin)
  const lines = Object.entries(headersFor('hang')).map(([name, value]) => `${name}: ${value}\r\n`)
  connection.send(`GET ${analyticsPath} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`)
  const first = await Promise.race([
    connection.answer().catch(() => 'an end'),
    connection.closed().then(() => 'an end'),
    new Promise((resolve) => setTimeout(resolve, 150, 'silence')),
  ])
  connection.destroy()
  expect(first).toBe('silence')
})
