// @module-tag long
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { analyticsPath, call, errorOf, event, type RequestOptions } from '../support/client.ts'
import { convsim, type RunOptions, run } from '../support/command.ts'
import { patternOf, readPage } from '../support/doc-pages.ts'
import { callRaw } from '../support/raw-http.ts'
import { startForTest } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The messages on the page, by section heading. */
const messages = new Map(
  Array.from(
    readPage('docs/troubleshooting.md').text.matchAll(/^### (.*)\n\n```text\n([\s\S]*?)\n```$/gm),
    ([, heading = '', message = '']) => [heading, message],
  ),
)

/** Runs a `convsim` command that must fail, and returns its error output. */
async function runFailing(args: readonly string[], options?: RunOptions): Promise<string> {
  const { code, stderr } = await run(args, { ...options, env: { CONVSIM_LOG_FORMAT: 'pretty', ...options?.env } })
  expect(code).not.toBe(0)
  return stderr
}

/** Sends a request to a new simulator and returns the error in the response. */
async function errorFor(path: string, options?: RequestOptions, settings?: Parameters<typeof startForTest>[0]) {
  return errorOf(await call(await startForTest(settings), path, options))
}

/** Runs `convsim each` on a Node.js script. Expects `convsim each` to fail, and returns its error output. */
const runFailingEach = (code: string, ...flags: string[]) =>
  runFailing(['each', ...flags, '--', process.execPath, '-e', code])

const eventsPath = '/v1/events'
const pathWithoutV1 = analyticsPath.replace('/v1', '')

/** Functions that trigger the messages, by heading. There must be exactly one for each message. */
const triggers: Readonly<Record<string, () => Promise<string>>> = {
  'The port is taken': async () => {
    const { port } = new URL((await startForTest()).origin)
    return runFailing(['--port', port, '--state', ':memory:'])
  },
  'The state file is in use': async () => {
    const args = ['--port', '0', '--state', join(await tempFolder(), 'state.json')]
    await convsim(args).ready()
    return runFailing(args)
  },
  'The state file has an error': async () => {
    const state = join(await tempFolder(), 'state.json')
    const sim = await startForTest({ state })
    await call(sim, eventsPath, { body: event() })
    await sim.close()
    writeFileSync(state, readFileSync(state, 'utf8').replace('"value":', '"value"'))
    return runFailing(['--port', '0', '--state', state])
  },
  'Listening on 0.0.0.0 is refused': () => runFailing(['--host', '0.0.0.0', '--state', ':memory:']),
  'A flag is unknown': () => runFailing(['--prot', '1']),
  'A variable is unknown': () => runFailing([], { env: { CONVSIM_PROT: '1' } }),
  'A file is missing': () => runFailing(['nowhere.yaml', '--state', ':memory:']),
  'A report would overwrite an input': async () => {
    const rules = join(await tempFolder(), 'rules.yaml')
    writeFileSync(rules, 'rules: []\n')
    return runFailing(['--state', ':memory:', '--rules', rules, '--report', `json=${rules}`])
  },
  'An input is a pipe': async () => {
    const cwd = await tempFolder()
    execFileSync('mkfifo', [join(cwd, 'rules.yaml')])
    return runFailing(['--port', '0', '--state', ':memory:', '--rules', 'rules.yaml'], { cwd })
  },
  'A rules file has an error': async () => {
    const cwd = await tempFolder()
    writeFileSync(join(cwd, 'rules.yaml'), 'rules:\n  - scenari: reset\n')
    return runFailing(['--port', '0', '--state', ':memory:', '--rules', 'rules.yaml'], { cwd })
  },
  'A library setting is unknown': async () => {
    const { startSimulator } = await import('../../src/index.ts')
    return String(await startSimulator({ ['prot' as 'port']: 1 }).catch((error: unknown) => error))
  },
  '401: the key is missing': () => errorFor(analyticsPath, { token: null }),
  '403: the plan': () => errorFor(analyticsPath, { token: 'key_free' }),
  '404: the base URL': () => errorFor(pathWithoutV1),
  '404: the path': () => errorFor('/v1/event'),
  '405: the method': () => errorFor(eventsPath, { method: 'GET' }),
  '400: the request breaks the contract': () => errorFor(eventsPath, { body: {} }),
  '400: the body is not JSON': () => errorFor(eventsPath, { body: '{"a":}' }),
  '415: the content type': () => errorFor(eventsPath, { body: '{}', contentType: 'application/x-www-form-urlencoded' }),
  '429: the rate limit': async () => {
    const sim = await startForTest({ maxAnalysesPerHour: 1 })
    await call(sim, analyticsPath)
    return errorOf(await call(sim, analyticsPath))
  },
  '400: the scenario is unknown': () => errorFor(analyticsPath, { headers: { 'x-sim-scenario': 'rate-limitd' } }),
  '400: the scenario does not apply': () => errorFor(analyticsPath, { headers: { 'x-sim-scenario': 'lost-ack' } }),
  'The page has a different origin': () =>
    errorFor('/__sim/reset', { method: 'POST', headers: { origin: 'https://example.com' } }),
  'The host is unknown': async () => {
    const { origin } = await startForTest()
    const { body } = await callRaw(origin, 'GET /__sim/info HTTP/1.1\r\nHost: sim.example.com\r\n\r\n')
    return JSON.stringify(body).replaceAll('\\"', '"')
  },
  'The control plane requires a token': () => errorFor('/__sim/info', { token: null }, { controlToken: 's3cret' }),
  'The sandbox was never used': () =>
    errorFor('/__sim/verify?sandbox=worker-9', { body: { operation: 'createEvent', count: { exactly: 0 } } }),
  'The run ends with exit code 3': async () => {
    const init = "{ method: 'POST', headers: { authorization: 'Bearer k' } }"
    const request = `fetch(process.env.CONVSIM_BASE_URL + '/events', ${init})`
    return runFailing(['exec', '--fail-on', 'violation', '--', process.execPath, '-e', request])
  },
  'The suite fails without a fault': () => runFailingEach('process.exit(7)'),
  'Two runs without faults differ': async () => {
    const counter = join(await tempFolder(), 'count')
    writeFileSync(counter, '')
    const url = `process.env.CONVSIM_BASE_URL + '${pathWithoutV1}'`
    const read = `fetch(${url}, { headers: { authorization: 'Bearer k' } })`
    return runFailingEach(`const fs = require('node:fs'); fs.appendFileSync('${counter}', 'x')
fetch(process.env.CONVSIM_BASE_URL + '/events', { method: 'POST' }); fs.statSync('${counter}').size > 1 && ${read}`)
  },
  'The command does not finish': () => runFailingEach('setTimeout(() => {}, 600_000)', '--run-timeout', '1s'),
}

describe('the troubleshooting page', () => {
  test.each([...messages])('shows, under "%s", a message that convsim produces', async (heading, message) => {
    const trigger = triggers[heading]
    if (!trigger) throw new Error(`nothing triggers the message under "${heading}"`)
    const output = await trigger()
    for (const line of message.split('\n')) expect(output).toMatch(patternOf(line))
  })

  test('has exactly one section for each tested message, and at least twenty sections', () => {
    expect([...messages.keys()]).toEqual(Object.keys(triggers))
    expect(messages.size).toBeGreaterThanOrEqual(20)
  })

  test('has an explanation after each message', () => {
    const { text } = readPage('docs/troubleshooting.md')
    const sections = text.split(/^##+ /m).filter((section) => section.includes('```text'))
    expect(sections.filter((section) => !/```\n\n\S/.test(section))).toEqual([])
  })
})
