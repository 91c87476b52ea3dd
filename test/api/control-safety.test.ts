import { once } from 'node:events'
import { connect } from 'node:net'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { analyticsPath, call, event, expectRefusal, type RequestOptions, readStateInfo } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { controlOperations } from '../support/control-operations.ts'
import { callRaw, connectTo, postText, requestText } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, type TestSimulator, test } from '../support/start.ts'
import { listRequests } from '../support/stored-records.ts'

const sim = sharedSimulator()

/** Sends a request, by default to the control plane. The headers can include ones that `fetch` forbids. */
async function callWith(headers: Record<string, string>, path = '/__sim/info', method = 'GET', origin = sim().origin) {
  const lines = Object.entries({ host: new URL(origin).host, connection: 'close', ...headers })
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return callRaw(origin, `${method} ${path} HTTP/1.1\r\n${text}\r\n`)
}

describe('the Host header', () => {
  test.each(
    [
      ['127.0.0.1', '127.0.0.1:4010', '10.1.2.3:80', '[::1]', '[::1]:4010', '[fe80::1]:80', 'convsim', 'convsim:4010'],
      ['localhost', 'localhost:4010', 'LOCALHOST', 'sim.localhost:4010', 'a.b.localhost', 'my-service_1'],
      ['host.docker.internal:4010', 'convsim.testing.svc.cluster.local'],
    ].flat(),
  )('%s is accepted', async (host) => {
    expect((await callWith({ host })).status).toBe(200)
  })

  test.each(
    [
      ['example.com', 'example.com:4010', 'localhost.example.com', 'localhost.', 'example.com.', 'notlocalhost.org'],
      ['evil-localhost.com', 'docker.internal', 'x.host.docker.internal', 'cluster.local', '127.0.0.1.nip.example'],
      ['127.0.0.1.', '1.2.3', '256.1.1.1', 'example.com:80:80', 'a.b@localhost.c', ''],
    ].flat(),
  )('%j is refused, and the refusal names --control-hosts', async (host) => {
    expectRefusal(await callWith({ host }), 403, /does not accept requests for the host .*--control-hosts/)
  })

  test('is truncated in the refusal', async () => {
    expectRefusal(await callWith({ host: `${'x'.repeat(5000)}.example` }), 403, /^.{1,299}$/s)
  })

  test('is overridden by the host of an absolute request target', async () => {
    const host = new URL(sim().origin).host
    for (const path of ['/__sim/export', '/__sim/health/../info'])
      expectRefusal(await callWith({}, `http://example.com${path}`), 403, / requests for the host "example.com/)
    for (const target of [`http://${host}/__sim/info`, `HTTP://u:p@${host}/__sim/info`, 'http://localhost/__sim/info'])
      expect([target, (await callWith({ host: 'example.com' }, target)).status]).toEqual([target, 200])
  })

  test('must be an IP address or a private or listed name (case-insensitive) if --control-hosts is set', async () => {
    const own = await startForTest({ controlHosts: 'sim.example.com, Other.Example.org, convsim' })
    const status = async (host: string) => (await callWith({ host }, '/__sim/info', 'GET', own.origin)).status
    const accepted = ['sim.example.com', 'SIM.example.com:4010', 'other.example.org', 'convsim:4010', 'a.localhost']
    for (const host of [...accepted, '127.0.0.1:80']) expect([host, await status(host)]).toEqual([host, 200])
    for (const host of ['x.sim.example.com', 'example.com', 'other'])
      expect([host, await status(host)]).toEqual([host, 403])
  })

  test('is checked on health paths, but not on paths of the simulated service', async () => {
    for (const path of ['/__sim/health', '/healthz', '/_x-steady/health', '/__admin/health'])
      expect([path, (await callWith({ host: 'example.com' }, path)).status]).toEqual([path, 403])
    const key = { authorization: 'Bearer k' }
    expect((await callWith({ host: 'api.example.com', ...key }, analyticsPath)).status).toBe(200)
  })
})

describe('a control request from', () => {
  const ownHost = () => new URL(sim().origin).host

  test.each<[string, number, () => Record<string, string>]>([
    ['a client other than a browser', 200, () => ({})],
    ['the console itself', 200, () => ({ origin: `http://${ownHost()}`, 'sec-fetch-site': 'same-origin' })],
    ['the console behind TLS', 200, () => ({ origin: `https://${ownHost()}` })],
    ['an address typed into the browser', 200, () => ({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })],
    ['a link on another site', 200, () => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })],
    ['a page on another site', 403, () => ({ origin: 'https://example.com' })],
    ['a page on another port of this machine', 403, () => ({ origin: 'http://127.0.0.1:1' })],
    ['an origin that starts with the simulator’s', 403, () => ({ origin: `http://${ownHost()}.example.com` })],
    ['an image on another site', 403, () => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })],
    ['a frame without Sec-Fetch-Mode', 403, () => ({ 'sec-fetch-site': 'cross-site' })],
  ])('%s gets a %i', async (_name, status, headers) => {
    const response = await callWith(headers())
    if (status === 403) expectRefusal(response, 403, /rejects requests from pages on other origins/)
    else expect(response.status).toBe(status)
  })

  test('a form or a beacon on another site cannot reset the state', async () => {
    await call(sim(), '/v1/events', { body: event() })
    const before = await readStateInfo(sim())
    const navigation = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    const forms = [
      { ...navigation, 'content-type': 'application/x-www-form-urlencoded' },
      navigation,
      { origin: 'https://example.com', 'content-type': 'text/plain' },
    ]
    for (const headers of forms)
      expect((await callWith({ ...headers, 'content-length': '0' }, '/__sim/reset', 'POST')).status).toBe(403)
    expect(await readStateInfo(sim())).toEqual(before)
  })
})

describe('the body of a control request', () => {
  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonp', 415],
    ['', 415],
    [null, 415],
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
  ])('with Content-Type %j gets a %d', async (contentType, status) => {
    const body = new TextEncoder().encode('{"rules":[]}')
    const response = await call(sim(), '/__sim/scenarios', { method: 'PUT', body, contentType })
    if (status === 415) expectRefusal(response, 415, /Content-Type: application\/json/)
    else expect(response.status).toBe(status)
  })

  test('must be empty or {} if the operation takes no body, and its Content-Type, if sent, must be JSON', async () => {
    const plain = await call(sim(), '/__sim/reset', { method: 'POST', body: 'reset', contentType: 'text/plain' })
    expect(plain.status).toBe(415)
    const empty = await callWith({ 'content-type': 'text/plain', 'content-length': '0' }, '/__sim/reset', 'POST')
    expect(empty.status).toBe(415)
    for (const body of [undefined, ' ', '{}'])
      expect((await call(sim(), '/__sim/reset', { method: 'POST', ...(body && { body }) })).status).toBe(200)
    for (const body of ['{"sandbox":"rb"}', '[1]', 'no JSON'])
      expectRefusal(await call(sim(), '/__sim/reset', { method: 'POST', body }), 400, /reset takes no body; .*sandbox=/)
  })

  test.each<[string, RequestOptions['body'], RegExp]>([
    ['broken JSON', '{"rules":', /body/],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), /body/],
    ['JSON with a duplicate key', '{"rules":[],"rules":[]}', /rules/],
  ])('is refused if it is %s', async (_name, body = '', pattern) => {
    expectRefusal(await call(sim(), '/__sim/scenarios', { method: 'PUT', body }), 400, pattern)
  })

  test('may be larger than --body-limit, which applies only to the simulated service', async () => {
    const own = await startForTest({ bodyLimit: '1kb' })
    const body = { rules: [{ scenario: 'unavailable', match: { header: { 'x-long': 'x'.repeat(2000) } } }] }
    expect((await call(own, '/__sim/scenarios', { method: 'PUT', body })).status).toBe(200)
  })

  test('is limited to 1 MB on every path except /import', async () => {
    const writes = (await controlOperations()).filter(({ method }) => method !== 'GET')
    expect(writes.length).toBeGreaterThan(15)
    const body = ' '.repeat(2 ** 20 + 1)
    for (const { method, path } of writes) {
      const response = await call(sim(), `/__sim${path.replaceAll(/[{}]/g, '')}`, { method, body })
      // The import accepts this size, but the body is not JSON.
      expect([path, response.status]).toEqual([path, path === '/import' ? 400 : 413])
    }
  })

  test('to /import is limited to 16 MB, as the refusal says', async () => {
    expectRefusal(await call(sim(), '/__sim/import', { body: ' '.repeat(2 ** 24 + 1) }), 413, /the limit of 16mb\.$/)
  })

  test.each([
    ['gzip', gzipSync],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])('compressed with %s is not decoded beyond 100 times its size', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(8 * 2 ** 20, ' '))
    const headers = { 'content-encoding': encoding }
    expectRefusal(await call(sim(), '/__sim/import', { body: bomb, headers }), 413, /more than 100 times its size/)
  })
})

describe('--control-token', () => {
  const guarded = sharedSimulator({ controlToken: 'let me in' })

  test.each<[number, string, RequestOptions]>([
    [401, 'no token', { token: null }],
    [401, 'another token', { token: 'let me out' }],
    [401, 'a key for the simulated service', { token: 'any-key' }],
    [401, 'a prefix of the token', { token: 'let me' }],
    [401, 'the token with a suffix', { token: 'let me in!' }],
    [401, 'another scheme', { token: null, headers: { authorization: 'Basic let me in' } }],
    [200, 'the token', { token: 'let me in' }],
    [200, 'the scheme in another case', { token: null, headers: { authorization: 'bearer let me in' } }],
  ])('leads to a %i for a request with %s', async (status, _name, options) => {
    const response = await call(guarded(), '/__sim/info', options)
    expect(response.status).toBe(status)
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    if (status === 401) expectRefusal(response, 401, /requires its token/)
  })

  test('is checked before the path and method, and is not required on the health paths', async () => {
    const sim = guarded()
    for (const path of ['/__sim/health', '/healthz']) expect((await call(sim, path, { token: null })).status).toBe(200)
    for (const path of ['/__sim/nothing', '/__sim/clock', '/metrics'])
      expect([path, (await call(sim, path, { token: null })).status]).toEqual([path, 401])
    for (const path of ['/__sim/reset', '/__sim/scenarios'])
      expect([path, (await call(sim, path, { method: 'PUT', token: null })).status]).toEqual([path, 401])
  })

  test('is not required by the simulated service and is not logged', async () => {
    const sim = guarded()
    await call(sim, '/__sim/info', { token: 'let me in' })
    expect((await call(sim, analyticsPath, { token: 'secret-key' })).status).toBe(200)
    expect(JSON.stringify(sim.logged)).not.toMatch(/let me in|secret-key/)
  })
})

test('an address that other machines can reach is refused without --control-token or --control-open', async () => {
  for (const host of ['0.0.0.0', '::'])
    await expect(startForTest({ host })).rejects.toThrow(/^--host: .*--control-token, or --control-open/)
  for (const allowed of [{ controlOpen: true }, { controlToken: 'x' }])
    await startForTest({ host: '0.0.0.0', ...allowed })
})

test.each<[string, RequestOptions, number, RegExp]>([
  ['/__sim/nothing', {}, 404, /Nothing is served at \/__sim\/nothing\. GET \/__sim\/openapi\.yaml describes all \d+/],
  ['/__sim/scenario', {}, 404, /Did you mean GET \/__sim\/scenarios, PUT \/__sim\/scenarios, POST .*\? GET /],
  ['/__sim/requests?sandbx=a', {}, 400, /has no parameter "sandbx"\. Did you mean "sandbox"\?/],
  ['/__sim', {}, 404, /^\/__sim serves only a page for browsers/],
  ['/__sim/clock/', {}, 404, /Nothing is served/],
  ['/__sim/sandboxes/__proto__', { method: 'DELETE' }, 400, /name/],
  ['/__sim/clock?sandbox=a&sandbox=b', {}, 400, /sandbox/],
  ['/__sim/info?sandbox=a', {}, 400, /sandbox/],
  ['/__sim/scenarios', { method: 'PUT' }, 400, /JSON body is required/],
])('the refusal of %s names the problem in the service’s format', async (path, options, status, pattern) => {
  expectRefusal(await call(sim(), path, options), status, pattern)
})

describe('the sandbox of a control request', () => {
  test('can be named by X-Sim-Sandbox, as in a request to the service', async ({ own }) => {
    await call(own, '/__sim/clock', { method: 'PUT', body: { mode: 'shifted' }, sandbox: 'w1' })
    expect((await call(own, '/__sim/clock?sandbox=w1')).body).toMatchObject({ mode: 'shifted' })
    expect((await call(own, '/__sim/clock')).body).toMatchObject({ mode: 'frozen' })
  })

  test('must be the same in the header and the query; operations on the whole process ignore the header', async () => {
    expectRefusal(await call(sim(), '/__sim/clock?sandbox=w1', { sandbox: 'w2' }), 400, /different sandboxes/)
    expect((await call(sim(), '/__sim/info', { sandbox: 'w2' })).status).toBe(200)
  })
})

/** Starts ten clients that each request a long response and read only its first bytes. */
async function holdLongResponses(own: TestSimulator) {
  for (let count = 0; count < 16; count += 1)
    await call(own, '/v1/events', { body: event({ value: 'x'.repeat(900_000) }) })
  const readers = Array.from({ length: 10 }, () => connect(Number(new URL(own.origin).port), '127.0.0.1'))
  for (const reader of readers) reader.write(requestText('GET', '/__sim/events'))
  for (const reader of readers) await once(reader, 'readable')
  return readers
}

test('at most 10 clients can read long responses at a time, and the next client is told to retry', async ({ own }) => {
  const readers = await holdLongResponses(own)
  const refused = await call(own, '/__sim/export')
  expectRefusal(refused, 429, /^10 long responses are already being read\./)
  expect(refused.headers.get('retry-after')).toBe('1')
  for (const reader of readers) reader.destroy()
  await expect.poll(async () => (await call(own, '/__sim/events?limit=1')).status).toBe(200)
})

test('clients that stop reading a long response for half a minute lose their slots', { tags: ['long'] }, async ({
  own,
}) => {
  const readers = await holdLongResponses(own)
  const read = async () => (await call(own, '/__sim/export')).status
  expect(await read()).toBe(429)
  await expect.poll(read, { interval: 1_000, timeout: 120_000 }).toBe(200)
  for (const reader of readers) reader.destroy()
})

test('the journal keeps only the newest 16 MB of request bodies, even if the requests hang', async ({ own }) => {
  const body = event({ value: 'x'.repeat(900_000) })
  const connections = await Promise.all(Array.from({ length: 24 }, () => connectTo(own.origin)))
  for (const connection of connections) {
    connection.send(postText('/v1/events', body, ['X-Sim-Scenario: hang']))
    await call(own, '/__sim/health')
  }
  for (const connection of connections) connection.destroy()
  await callControl(own, 'POST', '/verify', { count: { atLeast: 24 }, withinMs: 30_000 })
  const requests = await listRequests(own, 'bodies=true&limit=24')
  const kept = requests.map(({ request }) => JSON.stringify(request).length > 900_000)
  expect(kept.slice(0, 5)).toEqual([false, false, false, false, false])
  expect(kept.at(-1)).toBe(true)
})

describe('the head of a control request', () => {
  test('with an unknown host is refused before the body arrives', async () => {
    const head = 'Host: evil.example\r\nContent-Type: application/json\r\nContent-Length: 100000000'
    expect((await callRaw(sim().origin, `POST /__sim/import HTTP/1.1\r\n${head}\r\n\r\n{`)).status).toBe(403)
  })

  test('is refused if it contains a simulator header that has no effect on the control plane', async () => {
    for (const name of ['x-sim-scenario', 'x-sim-seed', 'x-sim-anything'])
      expectRefusal(await call(sim(), '/__sim/info', { headers: { [name]: '500' } }), 400, name)
  })
})
