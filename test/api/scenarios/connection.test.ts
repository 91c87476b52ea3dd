import { expect, test } from 'vitest'
import { analyticsPath, call, event, expectRefusal } from '../../support/client.ts'
import { callControl } from '../../support/control.ts'
import { sendBytes } from '../../support/one-shot.ts'
import { connectTo, requestText } from '../../support/raw-http.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { readEventPage } from '../../support/stored-records.ts'

const sim = sharedSimulator()

/** Requests analytics with a scenario and reads the response until it is complete or its connection ends. */
async function callWith(scenario: string) {
  const startedAt = performance.now()
  const request = requestText('GET', analyticsPath, [`X-Sim-Scenario: ${scenario}`])
  const [head = '', text = ''] = (await sendBytes(sim().origin, Buffer.from(request))).split('\r\n\r\n')
  const announcedBytes = Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1])
  return { status: Number(head.split(' ')[1]), text, announcedBytes, tookMs: performance.now() - startedAt }
}

test.each([0, 0.25, 0.5, 0.99])('truncated;keep=%d sends that fraction of the body, then disconnects', async (keep) => {
  const { status, text, announcedBytes, tookMs } = await callWith(`truncated;keep=${keep}`)
  expect([status, text.length]).toEqual([200, Math.floor(announcedBytes * keep)])
  expect(tookMs).toBeLessThan(10_000) // without a disconnect, `sendBytes` waits 15 seconds for the rest
})

test.each([0, 0.25, 0.99])('malformed-json;keep=%d sends a complete response with invalid JSON', async (keep) => {
  const { status, text, announcedBytes } = await callWith(`malformed-json;keep=${keep}`)
  expect([status, text.length]).toEqual([200, announcedBytes])
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
})

test('a refusal can be slow and truncated, but two scenarios cannot both determine the delivery', async () => {
  const { status, text, announcedBytes, tookMs } = await callWith('slow;ms=100, server-error, truncated')
  expect(status).toBe(500)
  expect(text).toMatch(/^\{"success":false/)
  expect(text.length).toBeLessThan(announcedBytes)
  expect(tookMs).toBeGreaterThan(90)
  for (const scenario of ['reset, empty-response', 'hang, truncated', 'dribble, malformed-json'])
    expectRefusal(await call(sim(), analyticsPath, { headers: { 'x-sim-scenario': scenario } }), 400, /cannot both act/)
})

test('a broken connection does not affect other connections', async () => {
  const faults = ['reset', 'empty-response', 'truncated', 'hang']
  const send = (scenario: string) => call(sim(), analyticsPath, { scenario, signal: AbortSignal.timeout(300) })
  const broken = Promise.allSettled(faults.map(send))
  const others = await Promise.all(Array.from({ length: 20 }, () => call(sim(), analyticsPath)))
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  for (const { status } of await broken) expect(status).toBe('rejected')
})

test.each(['reset', 'empty-response'])('responses before %s on the same connection are complete', async (scenario) => {
  const connection = await connectTo(sim().origin)
  const [plain, faulted] = [[], [`X-Sim-Scenario: ${scenario}`]].map((lines) =>
    requestText('GET', analyticsPath, lines),
  )
  connection.send(`${plain}${plain}${faulted}${plain}`)
  for (const _ of [1, 2]) expect((await connection.response()).status).toBe(200)
  await expect(connection.response()).rejects.toThrow('the connection ended')
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
])('with %s, the number of stored events increases by %d', async (scenario, count) => {
  const { total } = await readEventPage(sim())
  const signal = AbortSignal.timeout(2000) // ends a hanging request
  await expect(call(sim(), '/v1/events', { body: event(), scenario, signal })).rejects.toThrow()
  await expect.poll(async () => (await readEventPage(sim())).total).toBe(total + count)
})

test('an invalid request that is lost before it reaches the service is not checked', async () => {
  await expect(call(sim(), '/v1/events', { sandbox: 'unseen', scenario: 'reset', body: '{}' })).rejects.toThrow()
  const { violations, unexpected } = await callControl(sim(), 'GET', '/report?sandbox=unseen')
  expect([violations, unexpected]).toMatchObject([{ requests: 0 }, { responses: 0 }])
})
