import { expect, test } from 'vitest'
import { event } from '../../support/client.ts'
import { startForTest } from '../../support/start.ts'
import { callTool, connectOverHttp } from './mcp-client.ts'

/** Sends an event until it is accepted. Passes the `Retry-After` seconds to `wait`. Returns the number of attempts. */
async function sendEvent(baseUrl: string, wait: (seconds: number) => Promise<unknown>): Promise<number> {
  const body = JSON.stringify(event({ externalConversationId: 'c-1', insertId: 'a-1' }))
  const headers = { authorization: 'Bearer any-key', 'content-type': 'application/json', 'user-agent': 'shop/1' }
  for (let attempt = 1; ; attempt += 1) {
    const { status, headers: got } = await fetch(`${baseUrl}/events`, { method: 'POST', headers, body })
    if (status < 400) return attempt
    await wait(Number(got.get('retry-after')))
  }
}

test('the tools let an agent detect that a client ignores Retry-After, and then confirm the fix', async () => {
  const sim = await startForTest()
  const agent = await connectOverHttp(`${sim.controlUrl}/mcp`)
  const sandbox = 'checkout'
  const { baseUrl } = (await callTool(agent, 'control_sandbox', { action: 'create', sandbox })).json
  const rules = [{ operation: 'createEvent', scenario: 'rate-limited;retry-after=30', times: 2 }]
  await callTool(agent, 'set_scenarios', { sandbox, rules })
  expect(await sendEvent(String(baseUrl), async () => undefined)).toBe(3)

  const { json: failed } = await callTool(agent, 'run_summary', { sandbox })
  expect([failed['verdict'], failed['requests']]).toEqual(['failed', 3])
  expect(JSON.stringify(failed['worst'])).toMatch(/"rule":"retry-after".*wait of 30 s.*"waitedMs":\d+,"count":2/)
  const id = /explain_request with \{"id": "(req-\d+)"\}/.exec(String(failed['next']))?.[1] ?? ''
  expect((await callTool(agent, 'explain_request', { id })).text).toMatch(/"retryAfterMs":30000/)
  expect((await callTool(agent, 'find_requests', { sandbox })).text).toMatch(/"badRetries":.*"waitedMs":\d+/)

  await callTool(agent, 'control_sandbox', { action: 'reset', sandbox })
  await callTool(agent, 'set_scenarios', { sandbox, rules })
  const wait = (seconds: number) =>
    callTool(agent, 'control_sandbox', { action: 'advance', sandbox, by: `${seconds}s` })
  expect(await sendEvent(String(baseUrl), wait)).toBe(3)
  const { json: fixed } = await callTool(agent, 'run_summary', { sandbox })
  expect([fixed['verdict'], fixed['worst']]).toEqual(['passed', undefined])
  const refusals = { operation: 'createEvent', match: { status: 429 }, count: { exactly: 2 } }
  const verified = await callTool(agent, 'verify_requests', { sandbox, ...refusals })
  expect(verified.json['satisfied']).toBe(true)
})
