import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import {
  analyticsPath,
  call,
  callOperation,
  event,
  operations,
  prompt,
  type RequestOptions,
  type TestResponse,
} from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { listSandboxes } from '../support/stored-records.ts'

/** Reads the rules, sequences, clock and list entry of a sandbox, without its revision or the time of its last use. */
async function readSandbox(sim: TestSimulator, sandbox: string) {
  const controls = ['/scenarios', '/sequences', '/clock'].map((path) =>
    callControl(sim, 'GET', `${path}?sandbox=${sandbox}`),
  )
  const listed = (await listSandboxes(sim)).find(({ name }) => name === sandbox)
  if (!listed) throw new Error(`the sandbox ${sandbox} is not listed`)
  const { usedAt: _, revision: __, ...entry } = listed
  return { controls: await Promise.all(controls), entry }
}

/** Sends two requests per operation, analytics requests until a 429, and sampled events. Returns the responses. */
async function sendAll(sim: TestSimulator, sandbox: string): Promise<string[]> {
  const responses: TestResponse[] = []
  const options = { token: `k~${sandbox}` }
  for (const operation of [...operations, ...operations]) responses.push(await callOperation(sim, operation, options))
  while (responses.at(-1)?.status !== 429 && responses.length < 20)
    responses.push(await call(sim, analyticsPath, options))
  for (let index = 0; index < 10; index += 1)
    responses.push(
      await call(sim, '/v1/events', { ...options, body: event({ insertId: `s${index}`, sampleRate: 0.5 }) }),
    )
  return responses.map(({ status, text, headers }) => {
    const stable = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'connection')
    return JSON.stringify([status, stable, text])
  })
}

/** Changes every part of a sandbox: seed, clock, rules, sequences, records and rate limit window. */
async function changeAll(sim: TestSimulator, sandbox: string): Promise<void> {
  const options = { token: `k~${sandbox}` }
  await callControl(sim, 'PUT', `/sandboxes/${sandbox}`, { seed: 'another' })
  await callControl(sim, 'PUT', `/clock?sandbox=${sandbox}`, { mode: 'shifted', now: '2027-01-01' })
  const flaky = { scenario: 'unavailable;p=0.5', probability: 0.5, times: 3 }
  await putRules(sim, [{ sequence: '429*3, 503' }, flaky], sandbox)
  await call(sim, analyticsPath, options)
  const headers = { 'x-sim-sequence': '200, 503' }
  await call(sim, '/v1/events', { ...options, body: event({ insertId: 's1' }), headers, may500: true })
  await callControl(sim, 'DELETE', `/scenarios?sandbox=${sandbox}`)
  for (let count = 0; count < 3; count += 1) {
    await call(sim, '/v1/events', { ...options, body: event() })
    await call(sim, '/v1/prompts', { ...options, body: prompt({ externalPromptId: 'x' }) })
    await call(sim, analyticsPath, options)
  }
}

const settings = { maxAnalysesPerHour: 4, seed: 'start' } as const

test.each(['default', 'worker-3'])('a reset restores the initial state of the sandbox %s', async (sandbox) => {
  const sim = await startForTest({ ...settings, scenario: 'slow;ms=0;distribution=uniform;max=1' })
  await callControl(sim, 'PUT', `/sandboxes/${sandbox}`, {})
  const before = await readSandbox(sim, sandbox)
  const first = await sendAll(sim, sandbox)
  expect(await readSandbox(sim, sandbox)).not.toEqual(before)
  await changeAll(sim, sandbox)
  await callControl(sim, 'POST', `/reset?sandbox=${sandbox}`)
  expect(await readSandbox(sim, sandbox)).toEqual(before)
  expect(await sendAll(sim, sandbox)).toEqual(first)
})

const improbable = 'reset;p=0, slow;ms=60000;p=0, drop-field;p=0, 500;p=0'
const inactiveFaults: [string, RequestOptions, JsonObject[]][] = [
  ['several scenarios with p=0', { headers: { 'x-sim-scenario': improbable } }, []],
  ['a rule with probability 0', {}, [{ scenario: 'hang', probability: 0 }]],
  ['a rule that is disabled', {}, [{ scenario: 'empty-response', enabled: false }]],
  ['a rule for other requests', {}, [{ scenario: 'truncated', match: { header: { 'x-never': 'sent' } } }]],
  ['a sequence that is disabled', {}, [{ sequence: '503*5', enabled: false }]],
]

test.each(inactiveFaults)('an inactive fault leaves each response unchanged: %s', async (_name, options, rules) => {
  const [plain, faulty] = [await startForTest(settings), await startForTest(settings)]
  await putRules(plain, [])
  await putRules(faulty, rules)
  for (const operation of [...operations, ...operations]) {
    const { status, text, headers } = await callOperation(plain, operation)
    const response = await callOperation(faulty, operation, options)
    expect([response.status, response.text, [...response.headers]]).toEqual([status, text, [...headers]])
  }
})
