import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { afterAll, describe, expect, onTestFinished, test as plainTest, vi } from 'vitest'
import { openSandbox } from '../../src/client/testing/test-sandbox.ts'
import { connect, startSimulator } from '../../src/index.ts'
import { call, event, prompt, type RequestOptions } from '../support/client.ts'
import { controlOperations } from '../support/control-operations.ts'
import { excludeFromRecording } from '../support/control-responses/recording.ts'
import { listenForTest } from '../support/fake-upstream.ts'

const simulator = await startSimulator({ clock: '2026-01-15T12:00:00Z' })
afterAll(() => simulator.close())

let sandboxCount = 0
/** A test whose `sim` fixture is a new sandbox. */
const test = plainTest.extend('sim', () => simulator.sandbox(`test-${++sandboxCount}`))

const model = '00000000-0000-4000-8000-000000000002'

const sendEvent = (baseUrl: string, fields = {}) => call({ origin: baseUrl }, '/events', { body: event(fields) })

const getAnalytics = (baseUrl: string, options: RequestOptions = {}) =>
  call({ origin: baseUrl }, `/models/${model}/analytics`, options)

/** Returns a sandbox with events of these types. */
async function sandboxWith(name: string, ...eventTypes: string[]) {
  const sim = simulator.sandbox(name)
  for (const eventType of eventTypes) await sendEvent(sim.baseUrl, { eventType })
  return sim
}

describe('a sandbox', () => {
  test('can be selected by its base URL, its token or its headers', async ({ sim }) => {
    await getAnalytics(sim.baseUrl)
    await getAnalytics(simulator.baseUrl, { token: sim.token })
    await getAnalytics(simulator.baseUrl, { headers: sim.headers })
    await sim.expectReceived('getModelAnalytics', { times: 3 })
  })

  test('has a unique name by default, and is deleted at the end of its `await using` block', async () => {
    const [first, second] = [simulator.sandbox(), simulator.sandbox()]
    expect([first.name, second.name]).toEqual(['sandbox-1', 'sandbox-2'])
    {
      await using block = first
      await sendEvent(block.baseUrl)
      expect(await names()).toContain('sandbox-1')
    }
    expect(await names()).not.toContain('sandbox-1')
  })

  test.each(['..', 'a/b', '*', '', 'x'.repeat(65)])('cannot have the name %j', (name) => {
    expect(() => simulator.sandbox(name)).toThrow(/^A sandbox's name must have 1 to 64 letters/)
  })

  const names = async () => (await simulator.sandboxes()).map(({ name }) => name)
})

describe('scenarios in a sandbox', () => {
  test('are applied with their parameters to matching requests', async ({ sim }) => {
    await sim.scenario('rate-limited', { 'retry-after': 7 }, { operation: 'createEvent', times: 1 })
    await sim.scenario('null', { fields: ['recommendations', 'dataPoints.avgSafetyScore'] })
    const refusal = await sendEvent(sim.baseUrl)
    expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([429, '7'])
    expect((await sendEvent(sim.baseUrl)).status).toBe(201)
    expect((await getAnalytics(sim.baseUrl)).text).toContain('"recommendations":null')
    expect((await sim.rules()).counts.rules).toMatchObject([{ applied: 1, left: 0 }, { applied: 1 }])
    await sim.setRules([{ sequence: '404, 200' }])
    expect((await getAnalytics(sim.baseUrl)).status).toBe(404)
    await sim.clearRules()
    expect((await sim.rules()).rules).toEqual([])
    await sim.rule({ scenario: '503', match: { body: { eventType: 'upgrade' } } })
    expect((await sendEvent(sim.baseUrl, { eventType: 'upgrade' })).status).toBe(503)
    expect((await sendEvent(sim.baseUrl, { eventType: 'other' })).status).toBe(201)
  })

  test('can be combined into a sequence', async ({ sim }) => {
    await sim.sequence(['429;retry-after=1*2', '200'], { operation: 'getModelAnalytics' })
    const statuses = []
    for (let sent = 0; sent < 4; sent += 1) statuses.push((await getAnalytics(sim.baseUrl)).status)
    expect(statuses).toEqual([429, 429, 200, 200])
    expect(await sim.sequences()).toMatchObject([{ operation: 'getModelAnalytics', met: 4, next: '200' }])
  })

  test('are rejected if invalid, with the reason in the message', async ({ sim }) => {
    await expect(sim.scenario('slow', { ms: -1 })).rejects.toThrow(/POST .*scenarios returned 400: .*"ms".*0 to/)
    await expect(sim.scenario('drop-field', { pointer: 'a"b' })).rejects.toThrow(/quotation mark/)
    expect((await sim.rules()).rules).toEqual([])
  })
})

test('the clock and the seed of a sandbox can be set', async ({ sim }) => {
  expect(await sim.clock.read()).toEqual({ mode: 'frozen', now: '2026-01-15T12:00:00.000Z' })
  expect(await sim.clock.freeze(new Date('2026-02-01T00:00:00Z'))).toMatchObject({ mode: 'frozen' })
  const sleep: (ms: number) => Promise<void> = sim.clock.advance
  await sim.clock.advance('1h')
  expect((await sim.clock.read()).now).toBe('2026-02-01T01:00:00.000Z')
  await sleep(499.123456789)
  expect((await sim.clock.read()).now).toBe('2026-02-01T01:00:00.500Z')
  expect((await sim.clock.shift('2026-03-01T00:00:00Z')).mode).toBe('shifted')
  expect((await sim.clock.real()).mode).toBe('real')
  const before = (await getAnalytics(sim.baseUrl)).text
  await sim.seed(42)
  expect((await getAnalytics(sim.baseUrl)).text).not.toBe(before)
})

describe('the data in a sandbox', () => {
  test('can be restored from a snapshot or an export', async ({ sim }) => {
    await sendEvent(sim.baseUrl, { insertId: 'a' })
    const before = await sim.snapshot('before')
    await sendEvent(sim.baseUrl, { insertId: 'b' })
    expect((await sim.events({ insertId: 'b' })).length).toBe(1)
    expect(await sim.snapshots()).toMatchObject([{ name: 'before', events: 1 }])
    await before.restore()
    expect((await sim.events()).map(({ fields }) => fields.insertId)).toEqual(['a'])
    const exported = await sim.export()
    await sim.reset()
    expect(await sim.events()).toEqual([])
    await sim.import(exported)
    expect((await sim.events()).length).toBe(1)
    await before.delete()
    expect(await sim.snapshots()).toEqual([])
  })

  test('includes prompts, whose versions can be activated, and the quality weight', async ({ sim }) => {
    for (const content of ['one', 'two']) {
      const body = prompt({ externalPromptId: 'x', components: [{ content }] })
      await call({ origin: sim.baseUrl }, '/prompts', { body })
    }
    const [created] = await sim.prompts()
    const [first] = created?.versions ?? []
    await sim.activateVersion(created?.promptId ?? '', first?.versionId ?? '')
    expect((await sim.prompts())[0]?.versions).toMatchObject([{ active: true }, { active: false }])
    expect((await sim.setQuality(0.3)).weight).toBe(0.3)
    expect((await sim.quality()).weight).toBe(0.3)
  })
})

describe('expectations', () => {
  test('about requests can be met immediately or within a time limit', async ({ sim }) => {
    const later = sim.expectReceived('createEvent', { match: { status: 201 }, within: 10_000 })
    await sendEvent(sim.baseUrl, { eventType: 'upgrade' })
    await later
    const match = { body: { eventType: 'upgrade' } }
    await sim.expectReceived('createEvent', { times: { atLeast: 1, atMost: 1 }, match })
    expect(await sim.count('createEvent')).toEqual({ count: 1, truncated: false })
  })

  test('report the count, the closest requests and their differences if not met', async () => {
    const sim = await sandboxWith('missed', 'signup', 'upgrade')
    const expectation = sim.expectReceived('createEvent', { times: 2, match: { body: { eventType: 'purchase' } } })
    await expect(expectation).rejects.toMatchObject({
      name: 'ExpectationError',
      message: expect.stringMatching(
        /exactly 2 matching requests for createEvent; got 0\..* differs in body\/eventType \(expected "purchase", got "upgrade"\)\.\n +POST .* differs:\n +body\/eventType: expected "purchase", was "signup"\nTo look at the requests, start "npx convsim"/s,
      ),
    })
  })

  test('say only once that the journal has evicted requests that may have matched', async () => {
    const small = await startSimulator({ journalSize: 1 })
    onTestFinished(() => small.close())
    const sim = small.sandbox('small')
    for (let count = 0; count < 2; count += 1) await sendEvent(sim.baseUrl)
    const { message } = await sim.expectReceived('createEvent', { times: 1 }).then(
      () => new Error(),
      (error: Error) => error,
    )
    expect(message.match(/no upper bound can be proved/g)).toHaveLength(1)
  })

  test('list the matching requests with their statuses if too many match', async ({ sim }) => {
    await sim.sequence('429;retry-after=1, 200', { operation: 'createEvent' })
    await sendEvent(sim.baseUrl)
    await sendEvent(sim.baseUrl)
    await expect(sim.expectReceived('createEvent', { times: 1 })).rejects.toThrow(
      /exactly 1 matching request for createEvent; got 2 \(req-\d+ 429, req-\d+ 201\)/,
    )
    await sim.expectReceived('createEvent', { times: 1, match: { status: 201 } })
  })

  test.each([
    [{ count: 1 }, /"count" is not one of them/],
    [{ body: { eventType: 'a' } }, /"body" is not one of them\. Put conditions on the request in match/],
    [5, /got 5/],
  ])('reject the invalid options %j', async (options: unknown, message) => {
    const sim = await sandboxWith('misspelled', 'a')
    await expect(sim.expectReceived('createEvent', options as object)).rejects.toThrow(message)
  })

  test.each([
    [{ body: { insertId: undefined } }, /^match\.body\.insertId is undefined, which JSON cannot represent/],
    [{ body: /refund/ }, /^match\.body is an instance of RegExp/],
    [{ body: { a: [1, new Map()] } }, /^match\.body\.a\.1 is an instance of Map/],
    [{ status: undefined }, /^match\.status is undefined/],
  ])('reject the condition %o, which JSON cannot represent', async (match: object, message) => {
    const sim = await sandboxWith('unsendable', 'a')
    await expect(sim.expectReceived('createEvent', { match })).rejects.toThrow(message)
    await expect(sim.count('createEvent', match)).rejects.toThrow(message)
    await expect(sim.rule({ scenario: '503', match })).rejects.toThrow(message)
    await expect(sim.setRules([{ scenario: '503', match }])).rejects.toThrow(message)
  })

  test.each(['violations please', ['retrys']])('reject %j as a list of finding kinds', async (kinds: unknown) => {
    const sim = simulator.sandbox('kinds')
    await expect(sim.expectNoFindings(kinds as [])).rejects.toThrow(
      /a list of these names: violation, unexpected, retry, unmet/,
    )
  })

  test('work while the test stubs fetch', async () => {
    const sim = await sandboxWith('replaced-fetch', 'a')
    vi.stubGlobal('fetch', () => Promise.reject(new Error('replaced')))
    await sim.expectReceived('createEvent', { times: 1 }).finally(() => vi.unstubAllGlobals())
  })

  test('that there are no findings fail on violations, unexpected responses and retry problems', async ({ sim }) => {
    await expect(sim.expectNoFindings()).rejects.toThrow(/was never used/)
    await getAnalytics(sim.baseUrl)
    await sim.expectNoFindings()
    await sim.scenario('rate-limited', { 'retry-after': 30 }, { operation: 'getModelAnalytics' })
    await sendEvent(sim.baseUrl, { eventType: undefined })
    await call({ origin: sim.baseUrl }, '/nothing')
    for (const count of ['0', '1']) await getAnalytics(sim.baseUrl, { headers: { 'retry-attempt': count } })
    await expect(sim.expectNoViolations()).rejects.toThrow(
      /^Requests broke the contract:\n +createEvent: body.*eventType.*\(request .+\)\nIf a request is invalid on purpose.*\nTo look at/s,
    )
    await expect(sim.expectNoFindings(['violation', 'retry'])).rejects.toThrow(
      /^Responses were unexpected:\n +GET .*404/,
    )
    await expect(sim.expectNoFindings(['violation', 'unexpected'])).rejects.toThrow(
      /sooner: after 0(\.\d+)? s \(\S+, then \S+\)\nIf the client uses .*\nTo look at .*\nIf this is intended, allow it: expectNoFindings\(\['retry'\]\)/,
    )
    const { stack } = (await sim.expectNoFindings().catch((error: unknown) => error as Error)) as Error
    expect(stack?.match(/\n +at .*/)?.[0]).toContain('sandbox.test.ts')
    await sim.expectNoFindings(['violation', 'unexpected', 'retry'])
    expect((await sim.retryProblems()).length).toBeGreaterThan(0)
    expect((await sim.retries())[0]?.attempts).toHaveLength(2)
    expect((await sim.report()).violations.requests).toBe(1)
    expect((await sim.coverage()).met).toBeGreaterThan(0)
  })

  test('that there are no findings fail on an accepted request that should have been refused', async ({ sim }) => {
    await sim.scenario('expect-refusal')
    await sendEvent(sim.baseUrl)
    await expect(sim.expectNoFindings()).rejects.toThrow(
      /^Requests did not meet their declared .*: 201 .*\nIf the expectation is wrong/s,
    )
    await sim.expectNoFindings(['unexpected'])
  })
})

describe('requests to a sandbox', () => {
  test('are all listed, not just the first page, and can be filtered', { tags: ['long'] }, async ({ sim }) => {
    await Promise.all(Array.from({ length: 1005 }, () => getAnalytics(sim.baseUrl)))
    await sendEvent(sim.baseUrl)
    expect(await sim.requests()).toHaveLength(1006)
    const [posted] = await sim.requests({ operation: 'createEvent', status: 201 })
    expect(posted?.request.body.json).toMatchObject({ eventType: expect.any(String) })
    expect((await sim.request(posted?.id ?? '')).number).toBe(posted?.number)
    await sim.clearRequests()
    expect(await sim.requests()).toEqual([])
  })

  test('can be followed as they are recorded', async ({ sim }) => {
    const firstOperation = (async () => {
      for await (const { operation } of sim.follow({ status: '2xx' })) return operation
      return undefined
    })()
    while ((await Promise.race([firstOperation, sendEvent(sim.baseUrl).then(() => 'sent')])) === 'sent');
    expect(await firstOperation).toBe('createEvent')
  })

  test('can be explained without being sent', async ({ sim }) => {
    await sim.scenario('forbidden')
    const path = `/v1/models/${model}/analytics`
    const explanation = await sim.explain({ method: 'GET', path, headers: { authorization: 'Bearer any-key' } })
    expect(explanation.response.status).toBe(403)
    expect(await sim.requests()).toEqual([])
  })
})

describe('connect', () => {
  test('returns a client for a simulator that was started elsewhere', async () => {
    const token = 'secret'
    await using elsewhere = await startSimulator({ controlToken: token })
    const client = await connect(elsewhere.origin, { token })
    const sim = client.sandbox()
    await sendEvent(sim.baseUrl)
    await sim.expectReceived('createEvent')
    expect((await client.report()).requests).toBe(1)
    expect((await client.info()).state.events).toBe(1)
    expect((await client.catalogue()).scenarios.length).toBeGreaterThan(20)
    expect((await client.assumptions()).length).toBeGreaterThan(10)
    expect((await client.contract())['openapi']).toMatch(/^3/)
    expect(await client.metrics()).toContain('createEvent')
    await client.close()
    expect((await elsewhere.info()).version).toBe((await simulator.info()).version)
    await expect(connect(elsewhere.origin)).rejects.toThrow(/returned 401/)
  })

  test('gives the reason if the URL is invalid or no simulator responds', async () => {
    await expect(connect('http://127.0.0.1:9/__sim')).rejects.toThrow(/No simulator is responding at .*npx convsim/)
    await expect(connect('localhost')).rejects.toThrow(/is not a simulator URL/)
    await expect(connect('localhost:4010')).rejects.toThrow(/is not a simulator URL/)
  })

  test.each([
    ['<html>', 'text/html'],
    ['{"name":"another"}', 'application/json'],
    ['', 'text/plain'],
  ])('rejects a server that returns %j, because it is not a simulator', async (body, type) => {
    const server = createServer((_, res) => {
      excludeFromRecording(res)
      res.writeHead(body === '' ? 204 : 200, { 'content-type': type }).end(body)
    })
    const url = `http://127.0.0.1:${await listenForTest(server)}`
    await expect(connect(url)).rejects.toThrow(/responds, but is not a simulator/)
  })
})

test.each([
  ['kept if one of several simultaneous expectations is unmet', 2, true],
  ['deleted if all expectations are met', 1, false],
])('the sandbox of a test is %s', async (name, times, isKept) => {
  const { sim, close } = await openSandbox({ file: 'a.test.ts', names: [name] }, async () => simulator)
  await sendEvent(sim.baseUrl)
  const later = sim.expectReceived('createEvent', { times, within: 300 })
  await Promise.allSettled([later, sim.expectReceived('createEvent')])
  await close()
  expect((await simulator.sandboxes()).some((one) => one.name === sim.name)).toBe(isKept)
})

test('the typed client covers the whole control plane, except operations for other tools', async () => {
  const folder = new URL('../../src/client/', import.meta.url)
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts') && name !== 'control-types.ts')
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))
  const covered = new Set(
    Array.from(texts.join('').matchAll(/transport\.([A-Z]+)\('([^']+)'/g), ([, method, path]) => `${method} ${path}`),
  )
  const missing = (await controlOperations()).filter(({ method, path }) => !covered.has(`${method} ${path}`))
  const forOtherTools = ['getHealth', 'getControlContract', 'callMcp', 'getSkill']
  expect(missing.map(({ id }) => id).toSorted()).toEqual(forOtherTools.toSorted())
})
