import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { analyticsPath, call, event, modelId } from '../support/client.ts'
import { convsim } from '../support/command.ts'
import { callControl, putRules } from '../support/control.ts'
import { connectTo, postText, requestText } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'
import { listRequests, readRetries } from '../support/stored-records.ts'

const sim = sharedSimulator()

/** The `eventAt` of an event and its retry. Different times would make them separate events. */
const eventAt = '2026-01-15T12:00:00Z'

/** Sends an event with a scenario from a header or a rule, and disconnects before the response is complete. */
async function giveUp(sandbox: string, scenario: string, body: JsonObject, isSetByRule = false): Promise<void> {
  const connection = await connectTo(sim().origin)
  connection.send(eventPostText(sandbox, body, isSetByRule ? [] : [`X-Sim-Scenario: ${scenario}`]))
  if (scenario.startsWith('dribble')) await connection.untilResponseStarts()
  else await call(sim(), '/__sim/health', { token: null }) // makes sure that the request above has arrived
  connection.destroy()
  await expect(connection.response()).rejects.toThrow(/the connection ended/)
}

/** Resolves as soon as a sandbox has recorded `count` exchanges. An exchange is recorded when its delivery ends. */
const untilRecorded = (sandbox: string, count = 1) =>
  callControl(sim(), 'POST', `/verify?sandbox=${sandbox}`, { count: { atLeast: count }, withinMs: 30_000 })

const eventPostText = (sandbox: string, body: JsonObject, lines: readonly string[] = []) =>
  postText('/v1/events', body, ['User-Agent: raw', `X-Sim-Sandbox: ${sandbox}`, ...lines])

const halfReceiptBytes = Math.ceil(JSON.stringify({ success: true, eventId: modelId }).length / 2)

describe('a client that disconnects before the end of the response', () => {
  test.each([
    ['slow;ms=60000', { outcome: 'client-gone', sentBytes: 0 }],
    ['dribble;ms=60000;pieces=2', { outcome: 'client-gone', sentBytes: halfReceiptBytes }],
    ['hang', { outcome: 'damaged' }],
  ])('during %s has its request recorded at once, and coverage excludes the response', async (scenario, delivery) => {
    const sandbox = `left-${scenario.slice(0, 4)}`
    await giveUp(sandbox, scenario, event())
    await untilRecorded(sandbox)
    expect(await listRequests(sim(), `sandbox=${sandbox}`)).toMatchObject([{ operation: 'createEvent', delivery }])
    const { coverage } = await callControl(sim(), 'GET', `/report?sandbox=${sandbox}`)
    expect(JSON.stringify(coverage)).not.toMatch(/"covered":\[[^\]]*status 201/)
  })

  test.each([
    ['slow;ms=60000', 'with the same insertId causes no finding', 'first', []],
    ['slow;ms=60000', 'without an insertId causes a finding', undefined, ['same-insert-id']],
    ['dribble;ms=60000', 'without an insertId causes no finding, since it received the response head', undefined, []],
  ])('during %s and resends the event %s', async (scenario, _how, insertId, rules) => {
    const sandbox = `again-${scenario.slice(0, 4)}-${insertId}`
    await putRules(sim(), [{ sequence: `${scenario}, 201` }], sandbox)
    await giveUp(sandbox, scenario, event({ insertId: 'first', eventAt }), true)
    const body = event({ ...(insertId !== undefined && { insertId }), eventAt })
    const retry = await connectTo(sim().origin) // connections open at the same time count as different clients
    retry.send(eventPostText(sandbox, body))
    expect((await retry.response()).status).toBe(201)
    retry.destroy()
    const { findings } = (await readRetries(sim(), sandbox)).problems
    expect(findings.map(({ rule }) => rule)).toEqual(rules)
    if (rules.length > 0) expect(JSON.stringify(findings)).toMatch(/response was lost/)
  })

  test('is recorded as disconnected before its retry on another connection is checked', async () => {
    await putRules(sim(), [{ sequence: 'slow;ms=60000, 201' }], 'at-once')
    const first = await connectTo(sim().origin)
    first.send(eventPostText('at-once', event({ insertId: 'first', eventAt })))
    await call(sim(), '/__sim/health', { token: null }) // makes sure that the request above has arrived
    first.end()
    const second = await connectTo(sim().origin)
    second.send(eventPostText('at-once', event({ eventAt })))
    expect((await second.response()).status).toBe(201)
    second.destroy()
    first.destroy()
    const { findings } = (await readRetries(sim(), 'at-once')).problems
    expect(findings).toMatchObject([{ rule: 'same-insert-id' }])
  })

  test.each([
    ['429;retry-after=30', event()],
    ['201', event()],
    ['500', event({ insertId: 'kept' })],
  ])('causes no finding when it retries without having read the response: %s', async (scenario, body) => {
    const sandbox = `unread-${scenario.slice(0, 3)}`
    await putRules(sim(), [{ sequence: `${scenario}, 201` }], sandbox)
    const { hostname, port } = new URL(sim().origin)
    const blocked = connect(Number(port), hostname).pause() // reads nothing, like a busy process
    blocked.write(eventPostText(sandbox, body))
    await untilRecorded(sandbox)
    blocked.destroy()
    expect((await call(sim(), '/v1/events', { body, sandbox })).status).toBe(201)
    const { chains, problems } = await readRetries(sim(), sandbox)
    expect(problems.findings).toEqual([])
    expect(chains).toMatchObject([{ attempts: [{ outcome: 'uncertain' }, { outcome: 'fine' }] }])
  })

  test('has each request recorded exactly once, however the connection ends', async () => {
    for (const scenario of ['reset', 'empty-response', 'truncated', 'hang']) await giveUp('once', scenario, event())
    await giveUp('once', 'slow;ms=60000', event())
    await untilRecorded('once', 5)
    await callControl(sim(), 'POST', '/verify?sandbox=once', { count: { exactly: 5 }, withinMs: 500 })
  })

  test('has all of its pipelined requests recorded', async () => {
    const connection = await connectTo(sim().origin)
    const slow = eventPostText('pipelined', event(), ['X-Sim-Scenario: slow;ms=60000'])
    connection.send(slow + slow + eventPostText('pipelined', event()))
    await call(sim(), '/__sim/health', { token: null })
    connection.destroy()
    await untilRecorded('pipelined', 3)
    await callControl(sim(), 'POST', '/verify?sandbox=pipelined', { count: { exactly: 3 }, withinMs: 500 })
    const requests = await listRequests(sim(), 'sandbox=pipelined')
    expect(requests).toMatchObject(Array(3).fill({ delivery: { outcome: 'client-gone' } }))
  })
})

describe('an exchange is in the journal before the next request from a client that waited for the response', () => {
  test('even if the simulator runs in another process and the response is truncated', async () => {
    const command = convsim(['serve', '--port', '0', '--state', ':memory:', '--log-level', 'error'])
    const other = { origin: await command.ready() }
    const readTotal = async () => Number((await callControl(other, 'GET', '/requests?limit=1')).total)
    const counts: number[] = []
    for (let count = 1; count <= 100; count += 1) {
      await expect(call(other, '/v1/events', { body: event(), scenario: 'truncated' })).rejects.toThrow()
      counts.push(await readTotal())
    }
    expect(counts).toEqual(counts.map((_, index) => index + 1))
  })

  test.each(['slow;ms=20', 'dribble;ms=20', 'slow;ms=0'])('despite %s', async (scenario) => {
    const sandbox = `next-${scenario.replace(/\W/g, '-')}`
    for (const count of [1, 2, 3]) {
      await call(sim(), '/v1/events', { body: event(), sandbox, scenario })
      const recorded = Array(count).fill({ delivery: { outcome: 'delivered' } })
      expect(await listRequests(sim(), `sandbox=${sandbox}`)).toMatchObject(recorded)
    }
  })
})

const body = JSON.stringify(event({ insertId: 'one-and-only' }))

const unfinishedPost = (sandbox: string, lines: readonly string[], beginning: string) => {
  const headers = ['User-Agent: torn', 'Content-Type: application/json', `X-Sim-Sandbox: ${sandbox}`, ...lines]
  return requestText('POST', '/v1/events', headers, beginning)
}

/** Sends the start of a request, disconnects, and waits until the sandbox has recorded `count` exchanges. */
async function abortRequest(sandbox: string, text: string, count: number): Promise<void> {
  const connection = await connectTo(sim().origin)
  connection.send(text)
  await call(sim(), '/__sim/health', { token: null }) // makes sure that the bytes above have arrived
  connection.destroy()
  await untilRecorded(sandbox, count)
}

describe('a request aborted by its client', () => {
  test.each([
    ['within a body with Content-Length', 'length', ['Content-Length: 3000'], body.slice(0, 5)],
    ['before its body', 'nothing', ['Content-Length: 3000'], ''],
    ['within a chunk', 'chunk', ['Transfer-Encoding: chunked'], `bb8\r\n${body.slice(0, 5)}`],
  ])('%s causes no finding, and neither does its retry', async (_name, sandbox, lines, beginning) => {
    for (const count of [1, 2]) await abortRequest(sandbox, unfinishedPost(sandbox, lines, beginning), count)
    expect((await call(sim(), '/v1/events', { body, sandbox })).status).toBe(201)
    const requests = await listRequests(sim(), `bodies=true&sandbox=${sandbox}`)
    const error = 'The client disconnected before the end of the request body.'
    const aborted = { status: 400, origin: 'simulator', body: { json: { success: false, error } } }
    expect(requests).toMatchObject([
      { brokenOff: true, operation: 'createEvent', response: aborted },
      { brokenOff: true, response: aborted },
      { response: { status: 201 } },
    ])
    const none = { violations: { requests: 0 }, unexpected: { responses: 0, findings: [] }, retries: { findings: [] } }
    expect(await callControl(sim(), 'GET', `/report?sandbox=${sandbox}`)).toMatchObject({ requests: 3, ...none })
  })

  test.each([
    ['is too large', 413, ['Content-Length: 3000000'], body.slice(0, 5)],
    ['has an unknown encoding', 415, ['Content-Length: 30', 'Content-Encoding: rot13'], 'ab'],
  ])('with a body that %s is still recorded with a %i', async (_name, status, lines, beginning) => {
    const sandbox = `refused-${status}`
    await abortRequest(sandbox, unfinishedPost(sandbox, lines, beginning), 1)
    const [request] = await listRequests(sim(), `sandbox=${sandbox}`)
    expect(request).toMatchObject({ response: { status, origin: 'contract' } })
    expect(request).not.toHaveProperty('brokenOff')
  })

  test('does not advance a sequence', async () => {
    await putRules(sim(), [{ sequence: '503' }], 'sequence')
    await abortRequest('sequence', unfinishedPost('sequence', ['Content-Length: 3000'], 'ab'), 1)
    expect((await call(sim(), analyticsPath, { sandbox: 'sequence' })).status).toBe(503)
  })
})
