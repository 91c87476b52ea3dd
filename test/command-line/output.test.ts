import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { analyticsPath, call, event } from '../support/client.ts'
import { type Command, convsim, inMemory, run } from '../support/command.ts'
import { documentWith } from '../support/documents.ts'
import { connectTo } from '../support/raw-http.ts'
import { tempFolder } from '../support/temp-folder.ts'

const { eventType: _eventType, ...eventWithoutType } = event()

/** Sends two successful requests, an invalid one, one with a scenario, one without a token, and a control request. */
async function sendAll(origin: string): Promise<void> {
  await call({ origin }, `${analyticsPath}?period=7d`, { token: 'my-secret-token', headers: { 'x-team': 'a' } })
  await call({ origin }, '/v1/events', { body: eventWithoutType })
  await call({ origin }, analyticsPath, { headers: { 'x-sim-scenario': 'rate-limited' } })
  await call({ origin }, analyticsPath, { token: null })
  await call({ origin }, analyticsPath, { headers: { 'x-sim-sandbox': 'worker-3' } })
  await call({ origin }, '/__sim/scenarios', { token: null })
}

/** Stops a command and returns the lines that it wrote to stdout and stderr. */
async function stop(command: Command): Promise<string[]> {
  await command.stop()
  return `${command.stdout()}\n${command.stderr()}`.split('\n').filter((line) => line !== '')
}

/** Starts a server with the given flags, calls `sendAll`, and returns the parsed JSON lines of the server's output. */
async function logAll(...flags: string[]) {
  const command = convsim([...inMemory, ...flags])
  await sendAll(await command.ready())
  return (await stop(command)).map((line) => JSON.parse(line))
}

/** The members of every log line. */
const lineShape = {
  level: expect.stringMatching(/^(trace|debug|info|warn|error)$/),
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  msg: expect.any(String),
}

describe('--log-format json gives every line the members level, time and msg', () => {
  test('even if startup fails, with a line for each problem', async () => {
    const flags = [...inMemory, '--scenario', 'nonsense', '--plan', 'gold']
    const { code, stdout, stderr } = await run([...flags, '--log-format', 'json'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    const lines = stderr.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...lineShape, level: 'error', msg: expect.stringMatching(/^convsim cannot start: --plan: error: .*"gold"/) },
      { ...lineShape, level: 'error', msg: expect.stringMatching(/^convsim cannot start: --scenario: error: /) },
    ])
    const asText = await run(flags)
    expect(asText.stderr).toMatch(/^convsim cannot start:\n +--plan: error: .*\n +--scenario: error: /)
  })

  test('even in exec, whose default is human-readable text', async () => {
    const node = ['--', process.execPath, '-e', '']
    const [asJson, asText] = [await run(['exec', '--log-format', 'json', ...node]), await run(['exec', ...node])]
    for (const line of asJson.stderr.trim().split('\n')) expect(JSON.parse(line)).toMatchObject(lineShape)
    expect(asText.stderr).toMatch(/^convsim: 0 requests/)
  })
})

describe('--log-level', () => {
  test('info, the default, logs service requests with durations, and --fail-on conditions that are met', async () => {
    const flags = ['--report', join(await tempFolder(), 'report.json'), '--fail-on', 'violation']
    const lines = await logAll(...flags)
    for (const line of lines) expect(line).toMatchObject(lineShape)
    const metConditions = lines.filter(({ msg }) => msg.startsWith('convsim: --fail-on: '))
    expect(metConditions).toMatchObject([{ level: 'error' }])
    const messages = lines.map(({ msg }) => msg)
    expect(messages).toEqual(expect.arrayContaining(['loaded', 'responded', 'stopped']))
    for (const other of ['decided', 'handled a control request', 'headers']) expect(messages).not.toContain(other)
    const responded = lines.filter(({ msg }) => msg === 'responded')
    for (const line of responded)
      expect(line).toMatchObject({ durationMs: expect.any(Number), tookMs: expect.any(Number) })
    // A refusal that no violation explains is logged with its message.
    expect(responded.map(({ status, error }) => [status, error])).toEqual([
      [200, undefined],
      [400, undefined],
      [429, expect.stringMatching(/^Rate limit exceeded/)],
      [401, expect.stringMatching(/Authorization/)],
      [200, undefined],
    ])
  })

  test('debug adds the reasons for each response, and the requests to the control plane', async () => {
    const lines = await logAll('--log-level', 'debug', '--scenario', 'slow;ms=1')
    const decided = lines.filter(({ msg }) => msg === 'decided')
    expect(decided.map(({ stage, why }) => [stage, why])).toEqual([
      [
        'handle',
        [expect.stringMatching(/^Startup rule 1 applies/), expect.stringMatching(/getModelAnalytics runs\.$/)],
      ],
      ['validate', [expect.anything(), 'The stage "validate" returns 400: body/eventType is required.']],
      ['scenario', [expect.stringMatching(/^The request's own header takes precedence/)]],
      ['authenticate', [expect.stringMatching(/^The stage "authenticate" returns 401/)]],
      ['handle', expect.any(Array)],
    ])
    expect(lines.filter(({ msg }) => msg === 'handled a control request')).toMatchObject([
      { level: 'debug', method: 'GET', path: '/__sim/scenarios', status: 200, operation: 'getScenarios' },
    ])
    expect(lines.some(({ msg }) => msg === 'headers')).toBe(false)
  })

  test('trace adds the headers of requests and responses, without credentials', async () => {
    const lines = await logAll('--log-level', 'trace')
    for (const line of lines) expect(line).toMatchObject(lineShape)
    expect(lines.find(({ msg }) => msg === 'headers')).toMatchObject({
      level: 'trace',
      query: 'period=7d',
      requestHeaders: { 'x-team': 'a', authorization: 'Bearer [redacted]' },
      responseHeaders: { 'X-Sim-Operation': 'getModelAnalytics' },
    })
    expect(JSON.stringify(lines)).not.toContain('my-secret-token')
  })

  test('trace with --log-format pretty indents the additional lines below each request', async () => {
    const command = convsim([...inMemory, '--log-level', 'trace', '--log-format', 'pretty'])
    await call({ origin: await command.ready() }, '/v1/events', { body: {}, token: 'my-secret-token' })
    await stop(command)
    expect(command.stderr()).toMatch(
      /\nPOST \/v1\/events 400 .*\n( {4}why: The stage "validate" returns 400: .*\n)+( {4}> .*\n)+( {4}< .*\n)+/,
    )
    expect(command.stderr()).toMatch(/\n {4}> authorization: Bearer \[redacted\]\n/)
  })
})

describe('--log-format pretty', () => {
  const pretty = [...inMemory, '--log-format', 'pretty']

  test('starts the log with a line about inputs and state, followed by three example commands that work', async () => {
    const command = convsim(pretty)
    const origin = await command.ready()
    await command.untilStderr(/requests"\n/)
    expect(command.stderr()).toMatch(
      /^Simulating \S+openapi\.yaml \(operations: \d+\); the state is in memory \(events: 0, prompts: 0\)\.\n/,
    )
    const commands = command.stderr().matchAll(/^ {2}[A-Z].*: +(curl .*)$/gm)
    const responses = await Promise.all(Array.from(commands, ([, curl = '']) => sendAsCurl(curl)))
    expect(responses.map(({ status }) => status)).toEqual([200, 429, 200])
    expect(responses.every(({ url }) => url.startsWith(origin))).toBe(true)
  })

  test('prints one readable line for each request to the service', async () => {
    const command = convsim(pretty)
    const origin = await command.ready()
    await sendAll(origin)
    for (const scenario of ['reset', 'empty-response', 'truncated', 'drop-field;pointer=/recommendations'])
      await call({ origin }, analyticsPath, { headers: { 'x-sim-scenario': scenario } }).catch(() => {}) // no response
    await call({ origin }, '/v1/prompts', { body: {} })
    const lines = (await stop(command)).filter((line) => /^(GET|POST) /.test(line))
    expect(lines).toEqual([
      expect.stringMatching(/^GET \/v1\/models\/[-\da-f]+\/analytics 200 getModelAnalytics [\d.]+ ms$/),
      expect.stringMatching(/^POST \/v1\/events 400 createEvent [\d.]+ ms {2}body\/eventType is required$/),
      expect.stringMatching(/^GET .* 429 getModelAnalytics [\d.]+ ms {2}Rate .*[^.]; scenario rate-limited$/),
      expect.stringMatching(/^GET .* 401 getModelAnalytics [\d.]+ ms {2}.*Authorization/),
      expect.stringMatching(/^GET .* 200 getModelAnalytics [\d.]+ ms {2}sandbox worker-3$/),
      expect.stringMatching(/^GET \S+ reset getModelAnalytics [\d.]+ ms {2}scenario reset$/),
      expect.stringMatching(/^GET \S+ closed getModelAnalytics [\d.]+ ms {2}scenario empty-response$/),
      expect.stringMatching(/^GET \S+ 200 getModelAnalytics [\d.]+ ms {2}scenario truncated; the body was cut off$/),
      expect.stringMatching(/^GET .* 200 .*; damage: drop-field at \/recommendations$/),
      expect.stringMatching(/ 400 createPrompt .* is required \(and 1 more\)$/),
    ])
  })

  test('shows that a request hung, and how long a client actually waited before it disconnected', async () => {
    const command = convsim(pretty)
    const origin = await command.ready()
    const head = `GET ${analyticsPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer any-key\r\n`
    for (const scenario of ['hang', 'slow;ms=60000']) {
      const connection = await connectTo(origin)
      connection.send(`${head}X-Sim-Scenario: ${scenario}\r\n\r\n`)
      await call({ origin }, '/__sim/health', { token: null }) // a response shows that the earlier request has arrived
      connection.destroy()
      await command.untilStderr(new RegExp(`scenario ${scenario}`))
    }
    const lines = (await stop(command)).filter((line) => line.startsWith('GET'))
    expect(lines).toEqual([
      expect.stringMatching(/ hung getModelAnalytics [\d.]+ ms {2}scenario hang$/),
      expect.stringMatching(/ [\d.]{1,5} ms {2}scenario slow;ms=60000; the client disconnected before the response$/),
    ])
  })

  test('logs nothing with --log-level error, even for refused requests', async () => {
    const command = convsim([...pretty, '--log-level', 'error'])
    await sendAll(await command.ready())
    await stop(command)
    expect(command.stderr()).toBe('')
  })

  test('suggests control plane requests if every GET needs a parameter other than a model ID', {
    tags: ['long'],
  }, async () => {
    const contract = await documentWith('operationId: getModelAnalytics', 'operationId: getFigures')
    await writeFile(contract, (await readFile(contract, 'utf8')).replaceAll('modelId', 'figureId'))
    const command = convsim([...pretty, '--contract', contract])
    await command.untilStderr(/__sim\/info"\n.*__sim\/catalogue"\n.*__sim\/requests"\n/)
  })
})

test.each(['json', 'pretty'])('a log in the %s format escapes the control characters in a request', async (format) => {
  const command = convsim([...inMemory, '--strict', '--log-format', format])
  const body = { ...event(), 'value\u001b': '1', 'event\nType': 'x', valueType: 'a\u001b[31m\u009b31m' }
  await call({ origin: await command.ready() }, '/v1/events', { body })
  const lines = await stop(command)
  expect(lines.filter((line) => line.includes('createEvent'))).toHaveLength(1)
  expect(command.stderr()).toContain('\\u009b31m')
  expect(command.stderr()).not.toContain('\u001b')
  expect(command.stderr()).not.toMatch(/[\u007f-\u009f]/)
})

/** Sends the request that a curl command from the banner would send. */
function sendAsCurl(command: string): Promise<Response> {
  const headers = [...command.matchAll(/-H "([^":]+): ([^"]+)"/g)].map(([, name = '', value = '']) => [name, value])
  const [, url = ''] = /"(http[^"]+)"$/.exec(command) ?? []
  return fetch(url, { headers: Object.fromEntries(headers) })
}
