import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import type { ControlSchemas } from '../../../src/client/transport.ts'
import { analyticsPath, call, errorOf, event, objectOf } from '../../support/client.ts'
import { callControl, putRules } from '../../support/control.ts'
import { documentWith, documentWithPaths } from '../../support/documents.ts'
import { proxyTo, proxyWith, startFakeUpstream, startUpstream } from '../../support/fake-upstream.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'
import { listRequests, readControl } from '../../support/stored-records.ts'

const entries = (sim: TestSimulator) => listRequests(sim, 'bodies=true&sandbox=*')

const lastEntry = async (sim: TestSimulator) => (await entries(sim)).at(-1)

async function unexpectedMessages(sim: TestSimulator): Promise<string[]> {
  const { unexpected } = await readControl<ControlSchemas['Report']>(sim, '/report?sandbox=*')
  return unexpected.findings.map(({ message }) => message)
}

describe('the proxy', () => {
  test('returns the real service’s response, and checks and records the exchange', async () => {
    const upstream = await startForTest()
    const sim = await proxyTo(upstream.origin)
    const direct = await call(upstream, analyticsPath)
    const response = await call(sim, analyticsPath)
    expect(response.body).toEqual(direct.body)
    expect(response.headers.get('x-sim-origin')).toBe('upstream')
    expect(response.headers.get('x-request-id')).toBe('req-2') // the ID that the real service sent
    expect(response.headers.get('x-sim-request-id')).toBe('req-1')
    expect(await lastEntry(sim)).toMatchObject({
      id: 'req-1',
      operation: 'getModelAnalytics',
      stage: 'handle',
      response: { status: 200, origin: 'upstream', body: { json: direct.body } },
      responseViolations: [],
      delivery: { outcome: 'delivered' },
    })
    expect(await unexpectedMessages(sim)).toEqual([])
  })

  test('drops headers that control the simulator, and forwards the other headers in both directions', async () => {
    const seen: { headers: IncomingHttpHeaders; url: string | undefined }[] = []
    const origin = await startUpstream((req, res) => {
      seen.push({ headers: req.headers, url: req.url })
      res.writeHead(200, { 'Set-Cookie': ['a=1', 'b=2'], 'X-Team': 'blue', 'X-Sim-Foreign': 'x' }).end()
    })
    const sim = await proxyTo(origin, { basePath: '/api/v1' })
    const response = await call(sim, `${analyticsPath}?period=7d`, {
      token: 'client-secret~worker-3',
      headers: {
        'x-sim-expect': 'refusal',
        prefer: 'return=minimal, seed=3',
        baggage: 'convsim.sandbox=worker-3,team=blue',
        'x-custom': 'kept',
      },
    })
    expect(seen[0]?.url).toBe(analyticsPath.replace('/v1', '/api/v1').concat('?period=7d'))
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer client-secret',
      prefer: 'return=minimal',
      baggage: 'team=blue',
      'x-custom': 'kept',
      via: '1.1 convsim',
      host: new URL(origin).host,
    })
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => /^x-(sim|forwarded)-/.test(name))).toEqual([])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.headers.get('x-team')).toBe('blue')
    expect(response.headers.get('x-sim-foreign')).toBeNull()
    expect(response.headers.get('via')).toBe('1.1 convsim')
    expect((await lastEntry(sim))?.sandbox).toBe('worker-3')
  })

  test('replaces the client’s token with the upstream token, and neither records nor logs either token', async () => {
    const origin = await startUpstream((req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json', 'X-Echo': String(req.headers.authorization) })
      res.end(JSON.stringify({ echo: req.headers.authorization }))
    })
    const sim = await proxyTo(origin, { token: 'upstream-secret-1' })
    const response = await call(sim, analyticsPath, { token: 'client-secret-2' })
    expect(response.headers.get('x-echo')).toBe('Bearer upstream-secret-1')
    const recorded = JSON.stringify([await entries(sim), await callControl(sim, 'GET', '/report'), sim.logged])
    expect(recorded).toContain('[redacted]')
    expect(recorded).not.toMatch(/upstream-secret|client-secret/)
  })

  test('redacts an API key from a custom header if the real service echoes the key', async () => {
    const scheme = 'securitySchemes:\n'
    const contract = await documentWith(scheme, `${scheme}    key: { type: apiKey, in: header, name: X-Acme }\n`)
    const origin = await startUpstream(({ headers }, res) => {
      res.writeHead(403, { 'Content-Type': 'application/json' })
      res.end(JSON.stringify({ success: false, error: `The key ${headers['x-acme']} is wrong.` }))
    })
    const sim = await proxyTo(origin, {}, { contract })
    await call(sim, analyticsPath, { token: null, headers: { 'X-Acme': 'my-secret-key' } })
    const error = 'The key [redacted] is wrong.'
    expect(await lastEntry(sim)).toMatchObject({ response: { body: { json: { success: false, error } } } })
    expect(await unexpectedMessages(sim)).toEqual([error])
  })

  test('forwards and reports a request that breaks the contract', async () => {
    const bodies: string[] = []
    const origin = await startUpstream(async (req, res) => {
      bodies.push(await text(req))
      res.writeHead(201, { 'Content-Type': 'application/json' })
      res.end(JSON.stringify({ success: true, eventId: '2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d' }))
    })
    const sim = await proxyTo(origin)
    const sent = event({ value: 5 })
    expect((await call(sim, '/v1/events', { body: sent })).status).toBe(201)
    expect(JSON.parse(bodies[0] ?? '')).toEqual(sent)
    expect((await callControl(sim, 'GET', '/report'))['violations']).toMatchObject({ requests: 1 })
  })

  test('says that an error comes from the real service, even if the request breaks the contract', async () => {
    const sim = await proxyWith(503, { 'Content-Type': 'application/json' }, '{"error":"Out of order."}')
    await call(sim, '/v1/events', { body: event({ value: 5 }) })
    const why = [expect.stringContaining('forwarded'), 'The real service returned 503.']
    expect(await callControl(sim, 'GET', '/requests/req-1')).toMatchObject({ why })
  })

  test('forwards a request for an unknown path, and reports a violation if the service has the path', async () => {
    const origin = await startUpstream((req, res) => res.writeHead(req.url === '/v1/other' ? 200 : 404).end())
    const sim = await proxyTo(origin)
    expect((await call(sim, '/v1/other')).status).toBe(200)
    expect((await call(sim, '/v1/missing')).status).toBe(404)
    const why = [expect.stringContaining(origin), 'The real service returned 200.']
    expect(await callControl(sim, 'GET', '/requests/req-1')).toMatchObject({ why })
    expect(await entries(sim)).toMatchObject([
      { violations: [{ in: 'path', keyword: 'operation' }], response: { origin: 'upstream' } },
      { violations: [], response: { status: 404, origin: 'upstream' } },
    ])
    const refused = await call(sim, '/v1/other', { headers: { 'x-sim-scenario': 'rate-limited' } })
    expect(refused.status).toBe(400)
    expect(errorOf(refused)).toMatch(/applies only to operations of the contract/)
  })
})

describe('scenarios in a proxy', () => {
  test('can delay, truncate or change the real service’s response, or reset the connection', async () => {
    const upstream = await startForTest()
    const sim = await proxyTo(upstream.origin)
    const callWith = (scenario: string) => call(sim, analyticsPath, { headers: { 'x-sim-scenario': scenario } })
    expect((await callWith('slow;ms=5')).headers.get('x-sim-origin')).toBe('upstream')
    await expect(callWith('truncated')).rejects.toThrow()
    await expect(callWith('reset')).rejects.toThrow()
    const drifted = await callWith('drop-field;pointer=/messageCount')
    expect(objectOf(drifted)).not.toHaveProperty('messageCount')
    expect(drifted.headers.get('x-sim-damage')).toBe('drop-field at /messageCount')
    expect(await lastEntry(sim)).toMatchObject({
      response: { origin: 'scenario' },
      responseViolations: [{ keyword: 'required' }],
    })
    // The request with the scenario "reset" does not reach the service.
    expect((await entries(upstream)).length).toBe(3)
  })

  test('are refused in headers and rules if they need generated data', async () => {
    const upstream = await startForTest()
    const sim = await proxyTo(upstream.origin)
    const refused = await call(sim, analyticsPath, { headers: { 'x-sim-scenario': 'all-null' } })
    expect(refused.status).toBe(400)
    expect(errorOf(refused)).toBe(
      'The scenario "all-null" does not apply here: the real service responds, and its data cannot be chosen; ' +
        'use convsim serve for generated data.',
    )
    await expect(putRules(sim, [{ scenario: 'all-null' }])).rejects.toThrow(/its data cannot be chosen/)
  })

  test('are refused if they choose which events are dropped by sampling', async () => {
    const sim = await proxyTo((await startForTest()).origin, {}, { overlay: 'published' })
    const refused = await call(sim, '/v1/events', { body: event(), headers: { 'x-sim-scenario': 'sampled-out' } })
    expect(errorOf(refused)).toMatch(/does not apply here: the real service decides which events are dropped by/)
  })
})

describe('for a client of the proxy,', () => {
  const fetchValidBody = async () => objectOf(await call(await startForTest(), analyticsPath))

  test.each([
    ['does not respond in time', 504, /within 0\.05 s\. If it needs longer, raise --upstream-timeout\./, undefined],
    ['is not running', 502, /it refused the connection; .* \(ECONNREFUSED\)/, 'http://127.0.0.1:9'],
  ])('a service that %s causes a %d', async (_what, status, message, origin) => {
    const sim = await proxyTo(origin ?? (await startUpstream(() => undefined)), { timeoutMs: 50 })
    const response = await call(sim, analyticsPath)
    expect([response.status, response.headers.get('x-sim-origin')]).toEqual([status, 'simulator'])
    expect(errorOf(response)).toMatch(message)
  })

  test('an expired certificate causes a 502, and no request is sent to the service', async () => {
    const upstream = await startFakeUpstream(undefined, true)
    const sim = await proxyTo(new URL(upstream.baseUrl).origin)
    const response = await call(sim, analyticsPath)
    expect([response.status, response.headers.get('x-sim-origin'), upstream.requests]).toEqual([502, 'simulator', []])
    expect(errorOf(response)).toMatch(/cannot be trusted: certificate has expired .* NODE_EXTRA_CA_CERTS to the path/)
  })

  test('an invalid response that also does not match X-Sim-Expect counts as one unexpected response', async () => {
    const sim = await proxyTo(await startUpstream((_req, res) => res.writeHead(200).end()))
    await call(sim, analyticsPath, { headers: { 'x-sim-expect': 'refusal' } })
    const { unexpected } = await readControl<ControlSchemas['Report']>(sim, '/report')
    expect(unexpected).toMatchObject({ responses: 1, findings: [expect.anything(), expect.anything()] })
  })

  test('a response that the service interrupts is cut off and recorded as interrupted', async () => {
    const origin = await startUpstream((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 })
      res.write('{"part":', () => res.socket?.resetAndDestroy())
    })
    const sim = await proxyTo(origin)
    await expect(call(sim, analyticsPath)).rejects.toThrow()
    const message = 'was cut off by the real service (bytes received: 8)'
    expect(await lastEntry(sim)).toMatchObject({
      delivery: { outcome: 'upstream-gone', sentBytes: 8 },
      responseViolations: [{ keyword: 'connection', message }],
    })
    expect(await unexpectedMessages(sim)).toEqual([`The response breaks the contract: ${message}`])
  })

  test.each([
    ['invalid JSON', 200, '{"a":', 'application/json', 'json', /line 1/],
    ['an undocumented status', 418, '{}', 'application/json', 'status', /has the undocumented status 418/],
    ['an undocumented media type', 200, '<p>', 'text/html', 'media-type', /has the Content-Type "text\/html"/],
    ['no body', 200, '', undefined, 'required', /has no body/],
  ])('a response with %s is forwarded and reported as a violation', async (_, status, text, type, keyword, message) => {
    const sim = await proxyWith(status, type === undefined ? {} : { 'Content-Type': type }, text)
    const response = await fetch(sim.origin + analyticsPath, { headers: { authorization: 'Bearer k' } })
    expect([response.status, await response.text()]).toEqual([status, text])
    expect(await lastEntry(sim)).toMatchObject({
      responseViolations: [{ in: 'response', keyword, message: expect.stringMatching(message) }],
    })
    expect(await unexpectedMessages(sim)).toEqual([expect.stringMatching(message)])
  })

  test.each([
    ['HEAD', 'no body', 'application/json', ''],
    ['GET', 'a documented media type other than JSON', 'text/csv; charset=utf-8', 'a,b'],
  ])('for a %s request, a response with %s is not a violation', async (method, _what, type, text) => {
    const content = { 'application/json': { schema: { type: 'object' } }, 'text/csv': {} }
    const responses = { 200: { description: 'Rows.', content } }
    const contract = await documentWithPaths({ '/rows': { get: { responses }, head: { responses } } })
    const sim = await proxyWith(200, { 'Content-Type': type }, text, { contract })
    expect(await call(sim, '/v1/rows', { method })).toMatchObject({ status: 200, text })
    expect(await lastEntry(sim)).toMatchObject({ operation: `${method} /rows`, responseViolations: [] })
    expect(await unexpectedMessages(sim)).toEqual([])
  })

  test('a compressed response with an invalid field is checked, and is still compressed when forwarded', async () => {
    const body = { ...(await fetchValidBody()), messageCount: 'many' }
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
    const sim = await proxyWith(200, headers, gzipSync(JSON.stringify(body)))
    const response = await call(sim, analyticsPath)
    expect(response.body).toEqual(body)
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(await lastEntry(sim)).toMatchObject({
      responseViolations: [{ pointer: '/messageCount', keyword: 'type' }],
      response: { body: { json: body } },
    })
  })

  test.each([
    ['with many items', `[${'0,'.repeat(30_000)}0]`, 'identity'],
    ['with many members', `{${Array.from({ length: 30_000 }, (_, at) => `"m\\u0041${at}":1`)}}`, 'identity'],
    ['with a long string', `"${'é'.repeat(1_000_000)}"`, 'identity'],
    ['with many items (compressed)', `[${'0,'.repeat(30_000)}0]`, 'gzip'],
    ['with a long string (compressed)', `"${'é'.repeat(1_000_000)}"`, 'gzip'],
  ])('a large response %s is forwarded, and advice says that it was not checked', async (_, value, encoding) => {
    const { messageCount: _count, ...others } = await fetchValidBody()
    const body = `{"messageCount":"many","large":${value},${JSON.stringify(others).slice(1)}`
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding }
    const sim = await proxyWith(200, headers, encoding === 'gzip' ? gzipSync(body) : body)
    const response = await fetch(`${sim.origin}${analyticsPath}`, { headers: { authorization: 'Bearer key_x' } })
    expect((await response.text()).length).toBe(body.length)
    const message = 'is not checked, since it has more than 25,000 members and items, 64 levels, or 1,048,576 bytes'
    const advice = [{ in: 'response', keyword: 'bound', message }]
    expect(await lastEntry(sim)).toMatchObject({ response: { status: 200 }, responseViolations: [], advice })
    expect(await unexpectedMessages(sim)).toHaveLength(0)
    expect(await callControl(sim, 'GET', '/report')).toMatchObject({ advice: { findings: [{ keyword: 'bound' }] } })
  })

  test('a response is streamed: the client reads the start before the service has sent the end', async () => {
    let end = () => {}
    const origin = await startUpstream((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'text/plain' }).write('first')
      end = () => res.end('last')
    })
    const sim = await proxyTo(origin)
    const reader = (await fetch(`${sim.origin}/v1/stream`)).body?.getReader()
    const readText = async () => new TextDecoder().decode((await reader?.read())?.value)
    expect(await readText()).toBe('first')
    end()
    expect(await readText()).toBe('last')
  })

  test.each([
    ['before the response starts', undefined, false],
    ['while a scenario reads the response', 'drop-field', true],
  ])('a disconnection %s cancels the request to the service, and is recorded', async (_when, scenario, hasStarted) => {
    const [received, closed] = [vi.fn(), vi.fn()]
    const origin = await startUpstream((_req, res) => {
      res.on('close', closed)
      if (hasStarted) res.writeHead(200, { 'Content-Type': 'application/json' }).write('{')
      received()
    })
    const sim = await proxyTo(origin, { timeoutMs: 60_000 })
    const stop = new AbortController()
    const options = { ...(scenario && { scenario }), signal: stop.signal }
    const response = call(sim, analyticsPath, options).catch(() => 'left')
    await expect.poll(() => received).toHaveBeenCalled()
    stop.abort()
    await expect.poll(() => closed).toHaveBeenCalled()
    expect(await response).toBe('left')
    const gone = { response: { status: 499, origin: 'simulator' }, delivery: { outcome: 'client-gone', sentBytes: 0 } }
    await expect.poll(() => lastEntry(sim)).toMatchObject(gone)
  })
})
