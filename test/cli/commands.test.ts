import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatChecks } from '../../src/cli/check/check-format.ts'
import { commands } from '../../src/cli/commands.ts'
import { version } from '../../src/fixtures/bundled.ts'
import { inputs } from '../support/catalogue.ts'
import { allOperations } from '../support/client.ts'
import { cli, convsim, run } from '../support/command.ts'
import { excludeFromRecording } from '../support/control-answers/recording.ts'
import { documentWith, fixturesWith } from '../support/documents.ts'
import { tempFolder } from '../support/temp-folder.ts'

describe('--help', () => {
  test('fits on one screen, with every command and ten flags', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(45)
    expect(lines.filter(({ length }) => length > 100)).toEqual([])
    expect(lines.filter((line) => /^ {2}(-p, )?--/.test(line))).toHaveLength(10)
    for (const { name, summary } of commands) expect(lines).toContain(`  ${name.padEnd(13)}${summary}`)
  })

  test('of a command prints its own flags, and no scenarios', async () => {
    const [byFlag, byLetter] = await Promise.all([run(['check', '--help']), run(['check', '-h'])])
    expect(byFlag).toMatchObject({ code: 0, stderr: '' })
    expect(byLetter).toEqual(byFlag)
    expect(byFlag.stdout).toMatch(/^Usage: convsim check \[files\.\.\.\] \[options\]\n/)
    expect(byFlag.stdout).toContain('--format <text|json|github|markdown>')
    expect(byFlag.stdout).not.toMatch(/--port|server-error/)
  })
})

test.each(['--version', '-v'])('%s prints the version and nothing else', async (flag) => {
  expect(await run([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('mock serves, as serve does', async () => {
  const command = convsim(['mock', '--port', '0', '--state', ':memory:'])
  const origin = await command.ready()
  expect((await fetch(`${origin}/healthz`)).status).toBe(200)
})

describe('check', () => {
  test('finds no fault in the bundled files and prints counts', async () => {
    const { code, stdout } = await run(['check'])
    expect(code).toBe(0)
    expect(stdout).toContain(`spec/openapi.yaml: ok, ${allOperations.length} operations, `)
    expect(stdout).toMatch(/operations, \d+ assumptions\n/)
    expect(stdout).toMatch(/spec\/control\.openapi\.yaml: ok, \d+ operations/)
    const { personas, models } = inputs.fixtures
    expect(stdout).toContain(`fixtures: ok, ${personas.length} personas, ${models.length} models\n`)
    expect(stdout).not.toMatch(/warning|error/)
  })

  test('prints an operation that does not fit its handler, and exits with 1', { tags: ['long'] }, async () => {
    const required = '      requestBody:\n        required: true\n        description: The event.'
    const file = await documentWith(required, required.replace('true', 'false'))
    const { code, stdout } = await run(['check', file])
    expect(code).toBe(1)
    expect(stdout).toMatch(/contract\.yaml: error: createEvent: the simulator reads a JSON body/)
  })

  test('prints each fault of a document with its line, and exits with 1', async () => {
    const file = await documentWith('operationId: createEvent', 'operationId: createPrompt')
    const { code, stdout } = await run(['check', file])
    expect(code).toBe(1)
    expect(stdout).toMatch(/contract\.yaml:\d+:\d+: error: .*createPrompt/)
    expect(stdout).toMatch(/contract\.yaml: not fit to be served/)
  })

  test('prints the fault of a fixture with its line, and exits with 1', async () => {
    const folder = await fixturesWith('models.yaml', 'persona: healthy', 'persona: hearty')
    const { code, stdout } = await run(['check', folder])
    expect(code).toBe(1)
    expect(stdout).toMatch(/models\.yaml:\d+:\d+: error: .*hearty/)
  })
})

/** Returns a port that was free a moment ago. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

const portOf = (server: Server) => (server.address() as AddressInfo).port // a server on a port has no other kind of address

test.each([
  ['check', '--port', '3'],
  ['scenarios', '--strict'],
  ['assumptions', '--report', 'y.html'],
  ['check', '--log-format', 'json'],
])('%s refuses %s, which has no effect on it', async (command, ...flags) => {
  const { code, stdout, stderr } = await run([command, ...flags])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(`convsim: ${flags[0]} has no effect on convsim ${command}. See convsim ${command} --help.\n`)
})

test('assumptions passes over the variable of a setting that it does not read', async () => {
  expect(await run(['assumptions'], { env: { CONVSIM_REPORT: 'y.html' } })).toMatchObject({ code: 0 })
})

test.runIf(existsSync('/dev/full'))('output that cannot be written is an error', { tags: ['long'] }, async () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const ended = spawnSync(process.execPath, [cli, 'check', '--format', 'json'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  expect(ended.status).toBe(1)
  expect(ended.stderr).toMatch(/^convsim: the output cannot be written: ENOSPC: no space left on device.*\n$/)
})

describe('check --format', () => {
  /** Writes a document with an error and one with a warning, and returns their paths relative to their folder. */
  async function faultyDocuments() {
    const broken = await documentWith('operationId: createEvent', 'operationId: createPrompt')
    const odd = await documentWith(
      '          type: string\n          description: Overall summary',
      '          type: string\n          nullable: true\n          description: Overall summary',
    )
    return { broken, odd }
  }

  test('json prints one document with every finding and its place', { tags: ['long'] }, async () => {
    const { broken, odd } = await faultyDocuments()
    const { code, stdout, stderr } = await run(['check', broken, odd, 'none.yaml', '--format', 'json'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      files: [
        {
          file: broken,
          ok: false,
          summary: '',
          findings: [
            {
              severity: 'error',
              place: broken,
              line: expect.any(Number),
              column: expect.any(Number),
              message: expect.stringContaining('"createPrompt"'),
            },
          ],
        },
        {
          file: odd,
          ok: true,
          summary: expect.stringMatching(/^3 operations, \d+ assumptions$/),
          findings: [
            {
              severity: 'warning',
              place: odd,
              line: expect.any(Number),
              column: expect.any(Number),
              message: expect.stringContaining('nullable'),
            },
          ],
        },
        {
          file: 'none.yaml',
          ok: false,
          summary: '',
          findings: [{ severity: 'error', place: 'none.yaml', message: expect.stringContaining('cannot be read') }],
        },
      ],
    })
  })

  test('json of files without a fault has ok, and exits with 0', { tags: ['long'] }, async () => {
    const { code, stdout } = await run(['check', '--format', 'json'])
    expect({ code, checked: JSON.parse(stdout) }).toMatchObject({ code: 0, checked: { ok: true } })
  })

  test('github prints a command for each finding, with its file, line and column', { tags: ['long'] }, async () => {
    const { broken, odd } = await faultyDocuments()
    const { code, stdout } = await run(['check', basename(broken), odd, 'none.yaml', '--format', 'github'], {
      cwd: dirname(broken),
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^::error file=contract\.yaml,line=\d+,col=\d+::.*createPrompt/m)
    expect(stdout).toMatch(/^::warning file=\.\.\/[^:,]+contract\.yaml,line=\d+,col=\d+::.*nullable/m)
    expect(stdout).toMatch(/^::error::none\.yaml: cannot be read/m)
    expect(stdout).toMatch(/contract\.yaml: ok, 3 operations/)
  })

  test('github escapes everything that would end a command or a property', () => {
    const findings = [{ severity: 'error', place: 'a,b:c%.yaml:1:2', message: '100 %\n::error::x' }] as const
    expect(formatChecks([{ file: 'a', findings, summary: '' }], 'github').split('\n')[0]).toBe(
      '::error file=a%2Cb%3Ac%25.yaml,line=1,col=2::100 %25%0A::error::x',
    )
  })
})

describe('assumptions', () => {
  test('prints the place and reason of each assumption', async () => {
    const { code, stdout } = await run(['assumptions'])
    expect(code).toBe(0)
    for (const { pointer, text } of inputs.contract.assumptions)
      expect(stdout).toContain(`${pointer || '/'}\n  ${text}`)
  })

  test('takes another document as an argument or as --contract', { tags: ['long'] }, async () => {
    const file = await documentWith('Any string is accepted.', 'Guess!')
    const [named, set] = await Promise.all([run(['assumptions', file]), run(['assumptions', '--contract', file])])
    expect(named.stdout).toContain('Guess!')
    expect(set).toEqual(named)
  })

  test('exits with 1 if the file is no contract', async () => {
    const file = join(await tempFolder(), 'x.yaml')
    await writeFile(file, 'a: b\n')
    const { code, stdout, stderr } = await run(['assumptions', file])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/x\.yaml/)
  })
})

/** Listens as an HTTP server that is no simulator, and returns its port. */
async function serveReplies(reply: RequestListener): Promise<string> {
  const server = createHttpServer((req, res) => reply(req, excludeFromRecording(res))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return String(portOf(server))
}

describe('healthcheck', () => {
  test('exits with 0 if the simulator of the flag or variable is ready', async () => {
    const command = convsim(['--port', '0', '--state', ':memory:'])
    const { port } = new URL(await command.ready())
    const results = await Promise.all([
      run(['healthcheck', '--port', port]),
      run(['healthcheck'], { env: { PORT: port } }),
      run(['healthcheck'], { env: { CONVSIM_PORT: port, HOST: '0.0.0.0' } }),
    ])
    for (const { code, stdout } of results) {
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toEqual({ status: 'healthy', version })
    }
  })

  test('--wait waits until a simulator that starts later is ready', async () => {
    const port = String(await findFreePort())
    const waiting = run(['healthcheck', '--port', port, '--wait', '--timeout', '1m'])
    await convsim(['--port', port, '--state', ':memory:']).ready()
    expect(await waiting).toEqual({ code: 0, stdout: `{"status":"healthy","version":"${version}"}\n`, stderr: '' })
  })

  test('--wait gives up with 1 and the last reason once --timeout is over', async () => {
    const { code, stdout, stderr } = await run(['healthcheck', '--port', '1', '--wait', '--timeout', '250ms'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/no answer from .*: .*ECONNREFUSED/)
  })

  test('--timeout alone bounds the one request', { tags: ['long'] }, async () => {
    const server = createServer().listen(0, '127.0.0.1') // accepts connections and never answers
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const port = portOf(server)
    const { code, stderr } = await run(['healthcheck', '--port', String(port), '--timeout', '100ms'])
    expect(code).toBe(1)
    expect(stderr).toContain('nothing complete came within 0.1 s')
  })

  test('--timeout ends a reply that never ends, though a byte comes again and again', async () => {
    const port = await serveReplies((_req, res) => {
      const timer = setInterval(() => res.write(' '), 20)
      res.on('close', () => clearInterval(timer))
    })
    const { code, stderr } = await run(['healthcheck', '--port', port, '--timeout', '200ms'])
    expect(code).toBe(1)
    expect(stderr).toContain('nothing complete came within 0.2 s')
  })

  test('--timeout above two seconds is waited for without --wait, too', { tags: ['long'] }, async () => {
    const port = await serveReplies((_req, res) => {
      setTimeout(() => res.end(`{"status":"healthy","version":"1"}`), 2_200)
    })
    expect(await run(['healthcheck', '--port', port, '--timeout', '1m'])).toMatchObject({ code: 0 })
  })

  test.each([
    [200, 'hello'],
    [200, '{"status":"ok"}'],
    [301, ''],
    [404, '\u001b[2J'],
  ])('exits with 1 for another server, which answers %s %j', async (status, body) => {
    const port = await serveReplies((_req, res) => res.writeHead(status).end(body))
    const { code, stdout, stderr } = await run(['healthcheck', '--port', port])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `convsim: the server at http://127.0.0.1:${port}/__sim/health is no convsim: its answer ${status} is not the health of a simulator. Is --port right?\n`,
    )
  })

  test('prints the health of a simulator that is not ready on one line without control characters', async () => {
    const body = { status: 'unhealthy', version: '1', reason: '\u001b[2J\u009b' }
    const port = await serveReplies((_req, res) => res.writeHead(503).end(JSON.stringify(body, null, 2)))
    expect(await run(['healthcheck', '--port', port])).toEqual({
      code: 1,
      stdout: '{"status":"unhealthy","version":"1","reason":"\\u001b[2J\\u009b"}\n',
      stderr: '',
    })
  })

  test('refuses the port 0, under which no simulator can be reached', async () => {
    const { code, stderr } = await run(['healthcheck', '--port', '0'])
    expect(code).toBe(1)
    expect(stderr).toContain('the port 0 stands for any free port')
  })

  test('--help describes the address as that of a running simulator', async () => {
    const { stdout } = await run(['healthcheck', '--help'])
    expect(stdout).toContain('Port of the running simulator.')
    expect(stdout).not.toContain('to listen on')
  })

  test('exits with 1 and the reason if there is no reply', async () => {
    const { code, stdout, stderr } = await run(['healthcheck', '--port', '1'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/no answer from http:\/\/127\.0\.0\.1:1\/__sim\/health: .*ECONNREFUSED/)
  })
})
