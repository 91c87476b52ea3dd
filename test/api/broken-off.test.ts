import { describe, expect, test } from 'vitest'
import { analyticsPath, ask, event } from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import { connectTo, requestText } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'
import { listRequests } from '../support/stored-records.ts'

const sim = sharedSimulator()

const body = JSON.stringify(event({ insertId: 'one-and-only' }))

const post = (sandbox: string, lines: readonly string[], beginning: string) => {
  const headers = ['User-Agent: torn', 'Content-Type: application/json', `X-Sim-Sandbox: ${sandbox}`, ...lines]
  return requestText('POST', '/v1/events', headers, beginning)
}

/** Sends the start of a request, disconnects, and waits until the sandbox has recorded `count` exchanges. */
async function breakOff(sandbox: string, text: string, count: number): Promise<void> {
  const connection = await connectTo(sim().origin)
  connection.send(text)
  await ask(sim(), '/__sim/health', { token: null }) // makes sure that the bytes above have arrived
  connection.destroy()
  const question = { count: { atLeast: count }, withinMs: 30_000 }
  await steer(sim(), 'POST', `/verify?sandbox=${sandbox}`, question)
}

describe('a request that its client aborts', () => {
  test.each([
    ['within a body with Content-Length', 'length', ['Content-Length: 3000'], body.slice(0, 5)],
    ['before its body', 'nothing', ['Content-Length: 3000'], ''],
    ['within a chunk', 'chunk', ['Transfer-Encoding: chunked'], `bb8\r\n${body.slice(0, 5)}`],
  ])('%s is not a finding, and neither is its retry', async (_name, sandbox, lines, beginning) => {
    for (const count of [1, 2]) await breakOff(sandbox, post(sandbox, lines, beginning), count)
    expect((await ask(sim(), '/v1/events', { body, sandbox })).status).toBe(201)
    const requests = await listRequests(sim(), `bodies=true&sandbox=${sandbox}`)
    const error = 'The client went away before the end of its body.'
    const broken = { status: 400, origin: 'simulator', body: { json: { success: false, error } } }
    expect(requests).toMatchObject([
      { brokenOff: true, operation: 'createEvent', response: broken },
      { brokenOff: true, response: broken },
      { response: { status: 201 } },
    ])
    expect(await steer(sim(), 'GET', `/report?sandbox=${sandbox}`)).toMatchObject({
      requests: 3,
      violations: { requests: 0 },
      unexpected: { responses: 0, findings: [] },
      retries: { findings: [] },
    })
  })

  test.each([
    ['was too large', 413, ['Content-Length: 3000000'], body.slice(0, 5)],
    ['had an unknown encoding', 415, ['Content-Length: 30', 'Content-Encoding: rot13'], 'ab'],
  ])('after its body %s keeps the %i that it got', async (_name, status, lines, beginning) => {
    const sandbox = `refused-${status}`
    await breakOff(sandbox, post(sandbox, lines, beginning), 1)
    const [request] = await listRequests(sim(), `sandbox=${sandbox}`)
    expect(request).toMatchObject({ response: { status, origin: 'contract' } })
    expect(request).not.toHaveProperty('brokenOff')
  })

  test('does not advance a sequence, since the service never saw it', async () => {
    await putRules(sim(), [{ sequence: '503' }], 'sequence')
    await breakOff('sequence', post('sequence', ['Content-Length: 3000'], 'ab'), 1)
    expect((await ask(sim(), analyticsPath, { sandbox: 'sequence' })).status).toBe(503)
  })
})
