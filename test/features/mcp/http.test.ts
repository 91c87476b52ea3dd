import { describe, expect, test } from 'vitest'
import { call } from '../../support/client.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { startForTest } from '../../support/start.ts'
import { callTool, connectOverHttp } from './mcp-client.ts'
import { toolCalls } from './tool-calls.ts'

const sim = sharedSimulator()

describe('the tools over HTTP', () => {
  test('include six that are marked as read-only and two that are not', async () => {
    const client = await connectOverHttp(`${sim().controlUrl}/mcp`)
    const { tools } = await client.listTools()
    const notReadOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)
    expect([tools.length, notReadOnly]).toEqual([8, ['set_scenarios', 'control_sandbox']])
    expect(JSON.stringify(tools).length).toBeLessThan(16_000)
    expect(client.getInstructions()).toContain(`${sim().origin}/v1`)
  })

  test.each(toolCalls)('check their arguments: %s %j', async (name, args, response, wrong, refusal) => {
    await call(sim(), '/v1/nowhere')
    const client = await connectOverHttp(`${sim().controlUrl}/mcp`)
    const right = await callTool(client, name, args)
    expect([right.isError, right.text]).toEqual([false, expect.stringMatching(response)])
    const refused = await callTool(client, name, wrong)
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(refusal)])
  })

  test('return pages of at most 20 items', async () => {
    const own = await startForTest()
    for (let sent = 0; sent < 25; sent += 1) await call(own, '/v1/nowhere')
    const client = await connectOverHttp(`${own.controlUrl}/mcp`)
    const results = []
    for (const name of ['find_requests', 'list_scenarios', 'coverage_gaps']) {
      const first = (await callTool(client, name)).json
      const items = first['requests'] ?? first['scenarios'] ?? first['gaps']
      const second = (await callTool(client, name, { cursor: first['next'] ?? -1 })).json
      results.push([Array.isArray(items) && items.length, JSON.stringify(second) !== JSON.stringify(first)])
    }
    expect(results).toEqual([1, 2, 3].map(() => [20, true]))
  })

  test.each(['2025-11-25', '2026-07-28'])('support protocol revision %s', async (version) => {
    const mode = version === '2026-07-28' ? { mode: { pin: version } } : { mode: 'legacy' }
    const client = await connectOverHttp(`${sim().controlUrl}/mcp`, {}, { versionNegotiation: mode })
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await callTool(client, 'run_summary')).isError).toBe(false)
  })
})

describe('the MCP endpoint', () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const accept = 'application/json, text/event-stream'

  test('cannot be called from an HTML form, and requires the control token if one is set', async () => {
    const form = await call(sim(), '/__sim/mcp', { body: '{}', contentType: 'text/plain' })
    const own = await startForTest({ controlToken: 'secret' })
    const withoutToken = await call(own, '/__sim/mcp', { body: message })
    expect([form.status, withoutToken.status]).toEqual([415, 401])
    const client = await connectOverHttp(`${own.controlUrl}/mcp`, { authorization: 'Bearer secret' })
    expect((await callTool(client, 'control_sandbox', { action: 'reset' })).isError).toBe(false)
  })

  test('does not change the revision of a sandbox on a read-only call', async () => {
    const revision = async () => (await call(sim(), '/__sim/sandboxes')).text.match(/"revision":\d+/g)
    await call(sim(), '/__sim/mcp', { body: message, headers: { accept } })
    const before = await revision()
    await call(sim(), '/__sim/mcp', { body: message, headers: { accept } })
    expect(await revision()).toEqual(before)
  })
})
