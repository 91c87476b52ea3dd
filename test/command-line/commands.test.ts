import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer } from 'node:net'
import { basename, dirname } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatChecks } from '../../src/features/check/check.ts'
import { commands } from '../../src/features/commands.ts'
import { version } from '../../src/service/fixtures/bundled.ts'
import { freePort } from '../bench/target.ts'
import { allOperations } from '../support/all-operations.ts'
import { inputs } from '../support/catalogue.ts'
import { cli, convsim, inMemory, run } from '../support/command.ts'
import { excludeFromRecording } from '../support/control-responses/recording.ts'
import { documentWith, fixturesWith } from '../support/documents.ts'
import { listenForTest } from '../support/fake-upstream.ts'
import { runInProcess } from '../support/run-tool.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('--help fits on one screen and lists every command and ten flags', async () => {
  const { code, stdout, stderr } = await run(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(45)
  expect(lines.filter(({ length }) => length > 100)).toEqual([])
  expect(lines.filter((line) => /^ {2}(-p, )?--/.test(line))).toHaveLength(10)
  for (const { name, summary } of commands) expect(lines).toContain(`  ${name.padEnd(13)}${summary}`)
})
test('--version prints the version and nothing else', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test.runIf(existsSync('/dev/full'))('a command fails if its output cannot be written', { tags: ['long'] }, async () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const outcome = spawnSync(process.execPath, [cli, 'check', '--format', 'json'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  expect(outcome.status).toBe(1)
  expect(outcome.stderr).toMatch(/^convsim: the output cannot be written: ENOSPC: no space left on device.*\n$/)
})

describe('check', () => {
  const brokenDocument = () =>
    documentWith('operationId: createEvent', 'operationId: createEvent\n      x-simulated-status: { success: 299 }')
  const brokenFixtures = () => fixturesWith('models.yaml', 'persona: healthy', 'persona: hearty')
  const optionalBody = () => {
    const required = '      requestBody:\n        required: true\n        description: The event to record.'
    return documentWith(required, required.replace('true', 'false'))
  }
  const documentWithWarning = () =>
    documentWith(
      '          type: string\n          description: A summary',
      '          type: string\n          nullable: true\n          description: A summary',
    )

  test('finds no problems in the bundled files and prints counts of what they contain', async () => {
    const { code, stdout } = await runInProcess(['check', '--strict'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      new RegExp(`spec/openapi\\.yaml: ok, ${allOperations.length} operations, \\d+ assumptions\n`),
    )
    expect(stdout).toMatch(/spec\/control\.openapi\.yaml: ok, \d+ operations/)
    const { personas, models } = inputs.fixtures
    expect(stdout).toContain(`fixtures: ok, ${personas.length} personas, ${models.length} models\n`)
    expect(stdout).not.toMatch(/warning|error/)
  })

  test.each<[string, () => Promise<string>, RegExp]>([
    ['a problem in a document', brokenDocument, /contract\.yaml:\d+:\d+: error: must map "success"/],
    ['a problem in a fixture', brokenFixtures, /models\.yaml:\d+:\d+: error: .*hearty/],
  ])('prints %s with its location, and exits with 1', async (_, write, problem) => {
    const { code, stdout } = await runInProcess(['check', await write()])
    expect([code, stdout]).toEqual([1, expect.stringMatching(problem)])
    expect(stdout).toContain(': cannot be served')
  })

  test('warns about an operation that is not simulated; with --strict, fails on warnings', async () => {
    const { code, stdout } = await runInProcess(['check', await optionalBody()])
    const warning = 'createEvent is served from its examples and schemas, not simulated: the simulator reads a JSON'
    expect([code, stdout]).toEqual([0, expect.stringContaining(warning)])
    const strict = await runInProcess(['check', await documentWithWarning(), '--strict'])
    expect(strict).toMatchObject({ code: 1, stdout: expect.stringContaining('not ok with --strict') })
  })

  test('without arguments, checks the files from --contract and --fixtures, not the bundled files', async () => {
    const broken = await runInProcess(['check', '--contract', await brokenDocument()])
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/contract\.yaml:\d+:\d+: error: /) })
    expect(broken.stdout).not.toContain(': ok,')
    const folder = await tempFolder()
    const empty = await runInProcess(['check', '--fixtures', folder])
    expect(empty).toMatchObject({ code: 1, stdout: expect.stringContaining(`${folder}: cannot be served`) })
  })

  test('--format json prints one JSON document with every finding and its location', async () => {
    const [broken, warned] = [await brokenDocument(), await documentWithWarning()]
    const { code, stdout, stderr } = await runInProcess(['check', broken, warned, 'none.yaml', '--format', 'json'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const finding = (severity: string, place: string, message: string, at = {}) => [
      { severity, place, ...at, message: expect.stringContaining(message) },
    ]
    const at = { line: expect.any(Number), column: expect.any(Number) }
    const summary = expect.stringMatching(new RegExp(`^${allOperations.length} operations, \\d+ assumptions$`))
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      files: [
        { file: broken, ok: false, summary: '', findings: finding('error', broken, 'must map "success"', at) },
        { file: warned, ok: true, summary, findings: finding('warning', warned, 'nullable', at) },
        { file: 'none.yaml', ok: false, summary: '', findings: finding('error', 'none.yaml', 'cannot be read') },
      ],
    })
    const good = await runInProcess(['check', '--format', 'json'])
    expect([good.code, JSON.parse(good.stdout)]).toMatchObject([0, { ok: true }])
  })

  test('--format github prints each finding as a workflow command with its location', { tags: ['long'] }, async () => {
    const [broken, warned] = [await brokenDocument(), await documentWithWarning()]
    const files = [basename(broken), warned, 'none.yaml']
    const { code, stdout } = await run(['check', ...files, '--format', 'github'], { cwd: dirname(broken) })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^::error file=contract\.yaml,line=\d+,col=\d+::must map "success"/m)
    expect(stdout).toMatch(/^::warning file=\.\.\/[^:,]+contract\.yaml,line=\d+,col=\d+::.*nullable/m)
    expect(stdout).toMatch(/^::error::none\.yaml: cannot be read/m)
    expect(stdout).toMatch(/contract\.yaml: ok, 3 operations/)
  })

  test('--format github escapes the special characters of workflow commands', () => {
    const findings = [{ severity: 'error', place: 'a,b:c%.yaml:1:2', message: '100 %\n::error::x' }] as const
    expect(formatChecks([{ file: 'a', ok: false, findings, summary: '' }], 'github').split('\n')[0]).toBe(
      '::error file=a%2Cb%3Ac%25.yaml,line=1,col=2::100 %25%0A::error::x',
    )
  })
})

describe('assumptions', () => {
  test('prints the location and text of each assumption', async () => {
    const { code, stdout } = await runInProcess(['assumptions'])
    expect(code).toBe(0)
    for (const { pointer, text } of inputs.contract.assumptions)
      expect(stdout).toContain(`${pointer || '/'}\n  ${text}`)
  })

  test('accepts another document as an argument or with --contract, and refuses other kinds of files', async () => {
    const file = await documentWith('Any string is accepted.', 'Guess!')
    for (const args of [[file], ['--contract', file]])
      expect((await runInProcess(['assumptions', ...args])).stdout).toContain('Guess!')
    const refused = await runInProcess(['assumptions', 'biome.json'])
    expect(refused).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('biome.json') })
  })
})

/** Starts an HTTP server that is not a simulator, and returns its port. */
async function serveReplies(reply: RequestListener): Promise<string> {
  return String(await listenForTest(createHttpServer((req, res) => reply(req, excludeFromRecording(res)))))
}

describe('healthcheck', () => {
  test('exits with 0 if a simulator is ready on the port set by a flag or a variable', async () => {
    const { port } = new URL(await convsim(inMemory).ready())
    const results = await Promise.all([
      run(['healthcheck', '--port', port]),
      run(['healthcheck'], { env: { PORT: port } }),
      run(['healthcheck'], { env: { CONVSIM_PORT: port, HOST: '0.0.0.0' } }),
    ])
    for (const { code, stdout } of results)
      expect([code, JSON.parse(stdout)]).toEqual([0, { status: 'healthy', version }])
  })

  test('--wait waits until a simulator that starts later is ready', async () => {
    const port = String(await freePort())
    const waiting = run(['healthcheck', '--port', port, '--wait', '--timeout', '1m'])
    await convsim(['--port', port, '--state', ':memory:']).ready()
    expect(await waiting).toEqual({ code: 0, stdout: `{"status":"healthy","version":"${version}"}\n`, stderr: '' })
  })

  test.each([
    [[], /no response from http:\/\/127\.0\.0\.1:1\/__sim\/health: .*ECONNREFUSED/],
    [['--wait', '--timeout', '1s'], /no response from .*: .*ECONNREFUSED/],
    [['--port', '0'], /port 0 means any free port/],
  ])('prints why it cannot reach a simulator, and exits with 1 (additional flags: %j)', async (flags, reason) => {
    const { code, stdout, stderr } = await run(['healthcheck', '--port', '1', ...flags])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(reason)])
  })

  test('--timeout applies to requests without a response and to responses that never end', async () => {
    const silent = createServer().listen(0, '127.0.0.1') // accepts connections but never responds
    onTestFinished(() => void silent.close())
    const endless = await serveReplies((_req, res) => {
      const timer = setInterval(() => res.write(' '), 20)
      res.on('close', () => clearInterval(timer))
    })
    for (const port of [String(Object(silent.address()).port), endless]) {
      const { code, stderr } = await run(['healthcheck', '--port', port, '--timeout', '200ms'])
      expect([code, stderr]).toEqual([1, expect.stringContaining('timed out after 0.2 s')])
    }
  })

  test.each([
    [200, 'hello'],
    [200, '{"status":"ok"}'],
    [301, ''],
    [404, '\u001b[2J'],
  ])('exits with 1 if another server uses the port and returns %s %j', async (status, body) => {
    const port = await serveReplies((_req, res) => res.writeHead(status).end(body))
    const stderr = `the server at http://127.0.0.1:${port}/__sim/health is not convsim: its response (${status}) `
    const outcome = await run(['healthcheck', '--port', port])
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(stderr) })
    expect(outcome.stderr).toContain('health report. Is --port correct?\n')
  })

  test('prints the health of a simulator that is not ready, on one line without control characters', async () => {
    const body = { status: 'unhealthy', version: '1', reason: '\u001b[2J\u009b' }
    const port = await serveReplies((_req, res) => res.writeHead(503).end(JSON.stringify(body, null, 2)))
    expect(await run(['healthcheck', '--port', port])).toEqual({
      code: 1,
      stdout: '{"status":"unhealthy","version":"1","reason":"\\u001b[2J\\u009b"}\n',
      stderr: '',
    })
  })
})
