import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { call } from '../../support/client.ts'
import { convsim } from '../../support/command.ts'
import { createResponseCheck, type RecordedResponse } from '../../support/control-responses/check.ts'
import { ControlResponsesReporter, checkRecordedResponses } from '../../support/control-responses/reporter.ts'
import { startForTest } from '../../support/start.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const check = createResponseCheck()
const health = { status: 'healthy', version: '0.1.0' }
const clock = { mode: 'real', now: '2026-01-15T12:00:00.000Z' }

/** Returns a recorded response with a JSON body. */
function recorded(target: string, body: object, overrides: Partial<RecordedResponse> = {}): RecordedResponse {
  const text = JSON.stringify(body)
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { method: 'GET', target, status: 200, headers, size: text.length, text, ...overrides }
}

// The check is called directly, since an invalid recorded response would fail the whole test run.
test.each([
  ['an undocumented status', recorded('/__sim/health', health, { status: 201 }), /undocumented status 201/],
  ['a wrong value', recorded('/__sim/health', { ...health, status: 'ill' }), /\/status must be equal/],
  ['a missing member', recorded('/__sim/clock', { mode: 'real' }), /required property 'now'/],
  ['an unknown member', recorded('/__sim/clock', { ...clock, zone: 'UTC' }), /unevaluated.*"zone"/],
  ['an unknown member of an allOf object', recorded('/__sim/quality', quality({ x: 1 })), /unevaluated.*"x"/],
  ['an unknown member in a refusal', recorded('/__sim/x', refusal({ x: 1 }), { status: 404 }), /"x"/],
  ['a missing body', recorded('/__sim/clock', {}, { text: '', size: 0 }), /no body/],
  ['an undocumented media type', recorded('/__sim/clock', clock, { headers: { 'content-type': 'a/b' } }), /type "a.b"/],
  ['an invalid header', refusalWithHeader('allow', 'everything'), /header Allow: .*pattern/],
  ['a response for an undocumented path', recorded('/__sim/secret', {}), /undocumented operation/],
])('the response check reports %s', (_name, response, problem) => {
  expect(check(response)).toMatch(problem)
})

function refusal(members: object = {}) {
  return { success: false, error: 'No.', ...members }
}

function quality(members: object) {
  const conversation = { impact: 0, events: 1, eventIds: [], conversation: 'chat-1', cqi: 0.5 }
  return { weight: 0.1, products: [], conversations: [{ ...conversation, ...members }] }
}

function refusalWithHeader(name: string, value: string): RecordedResponse {
  const response = recorded('/__sim/clock', refusal(), { status: 405 })
  return { ...response, headers: { ...response.headers, [name]: value } }
}

/** Reads the responses that this test run has recorded for this test file. */
async function readRecorded(): Promise<RecordedResponse[]> {
  const lines = (await readFile(process.env['CONTROL_RESPONSES'] ?? '', 'utf8')).trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

test('control-plane responses are recorded, even in child processes, but service responses are not', async () => {
  const own = await startForTest()
  await call(own, '/__sim/health?of=process')
  const child = convsim(['--port', '0', '--state', ':memory:'])
  await call({ origin: await child.ready() }, '/healthz?of=child')
  await call(own, '/v1/events')
  // A child process records a response only after sending it, so the client may receive it before it is recorded.
  const targets = await vi.waitFor(async () => {
    const found = (await readRecorded()).map(({ target }) => target)
    expect(found).toEqual(expect.arrayContaining(['/__sim/health?of=process', '/healthz?of=child']))
    return found
  }, 30_000)
  expect(targets.filter((target) => target.startsWith('/v1'))).toEqual([])
})

test('an invalid response fails the run and is reported once, with the test file, request and problem', async () => {
  const [good, bad] = [recorded('/__sim/clock', clock), recorded('/__sim/clock', { ...clock, zone: 'UTC' })]
  const folder = await tempFolder()
  const lines = [good, bad, bad].map((response) => `${JSON.stringify(response)}\n`).join('')
  await writeFile(join(folder, encodeURIComponent(join(process.cwd(), 'test/api/clock.test.ts'))), lines)
  expect(checkRecordedResponses(folder)).toEqual({
    count: 3,
    problems: [expect.stringMatching(/^test\/api\/clock\.test\.ts: GET \/__sim\/clock 200: .*"zone"/)],
  })
  const { exitCode } = process
  const consoleSpies = (['log', 'error'] as const).map((name) => vi.spyOn(console, name).mockReturnValue())
  onTestFinished(() => {
    process.exitCode = exitCode
    for (const spy of consoleSpies) spy.mockRestore()
  })
  const reporter = new ControlResponsesReporter()
  reporter.reportProblems(folder)
  expect([process.exitCode, reporter.problemCount]).toEqual([1, 1])
})
