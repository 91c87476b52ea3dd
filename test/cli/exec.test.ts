import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { convsim, run } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Returns the arguments that run a line of JavaScript by `convsim exec`. */
const node = (code: string, ...options: string[]) => ['exec', ...options, '--', process.execPath, '-e', code]

/** Returns a line of JavaScript that sends a request and prints the status of its reply. */
const send = (path: string, body?: string) =>
  `fetch(process.env.CONVSIM_BASE_URL + '${path}', { headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    ${body === undefined ? '' : `method: 'POST', body: '${body}'`} }).then((answer) => console.log(answer.status))`

const good = send('/events', '{"eventType":"a","productId":"8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75","value":"1"}')
const bad = send('/events', '{}')
const unexpected = send('/nowhere')

/** Resolves to true if a server listens at this address. */
async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return outcome
}

describe('the command', () => {
  test('finds the addresses in its environment, also under other names', async () => {
    const code =
      'const { CONVSIM_BASE_URL: a, CONVSIM_CONTROL_URL: b, API_URL: c, OTHER: d } = process.env; console.log(JSON.stringify([a, b, c, d]))'
    const { code: exit, stdout } = await run(node(code, '--env', 'API_URL', '--env', 'OTHER'))
    expect(exit).toBe(0)
    const [base, control, ...named] = JSON.parse(stdout)
    expect(base).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(control).toBe(base.replace('/v1', '/__sim'))
    expect(named).toEqual([base, base])
  })

  test('alone writes to stdout, and the summary goes to stderr', async () => {
    const { stdout, stderr } = await run(node(good))
    expect(stdout).toBe('201\n')
    expect(stderr).toMatch(
      /^convsim: 1 request, 0 broke the contract, 0 unexpected answers, 0 findings on manners, 1 piece of advice, [\d.]+ % of the contract covered\.\n {2}advice: createEvent: body: link: .* POST \/v1\/events, sandbox default.*\)\n$/,
    )
  })

  test('reads the stdin of convsim', async () => {
    const { process: own, stdout, ended } = convsim(node('process.stdin.pipe(process.stdout)'), { stdin: 'pipe' })
    own.stdin?.end('hello')
    expect([await ended, stdout()]).toEqual([0, 'hello'])
  })

  test('sets the exit code', async () => {
    expect(await run(node('process.exit(7)'))).toMatchObject({ code: 7 })
  })

  test('sets the exit code 128 + n if signal n ends it', async () => {
    expect(await run(node("process.kill(process.pid, 'SIGKILL')"))).toMatchObject({ code: 137 })
  })

  test('sets the exit code 1 if it is false', async () => {
    expect(await run(['exec', '--', 'false'])).toMatchObject({ code: 1, stdout: '' })
  })

  test('sets the exit code 127 if it does not exist, and stderr names it', async () => {
    const { code, stderr } = await run(['exec', '--', 'no-such-command-here'])
    expect(code).toBe(127)
    expect(stderr).toMatch(/There is no command no-such-command-here\./)
  })

  test('sets the exit code 126 if it cannot be run', async () => {
    const file = join(await tempFolder(), 'plain.txt')
    await writeFile(file, 'no program')
    const { code, stderr } = await run(['exec', '--', file])
    expect(code).toBe(126)
    expect(stderr).toMatch(/plain\.txt cannot be run/)
  })

  test('has its own PORT, which convsim ignores', { tags: ['long'] }, async () => {
    const code = 'console.log(process.env.PORT, process.env.CONVSIM_BASE_URL)'
    const { stdout } = await run(node(code), { env: { PORT: '1' } })
    expect(stdout).toMatch(/^1 http:\/\/127\.0\.0\.1:(?!1\/)/)
  })

  test('runs without a state file', { tags: ['long'] }, async () => {
    const cwd = await tempFolder()
    await run(node(good), { cwd })
    expect(await readdir(cwd)).toEqual([])
  })
})

test('the command can write to stdout as if it were alone: the pipe stays blocking', { tags: ['long'] }, async () => {
  const flags = ['sh', '-c', 'grep flags /proc/self/fdinfo/1']
  const { stdout } = await run(['exec', '--state', ':memory:', '--', ...flags])
  const [, octal = ''] = /flags:\s*([0-7]+)/.exec(stdout) ?? []
  expect(Number.parseInt(octal, 8) & constants.O_NONBLOCK).toBe(0)
})

describe('signals', () => {
  const waiting = `console.log(process.env.CONVSIM_BASE_URL + ' ' + process.pid); setTimeout(() => {}, 60_000)`

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('%s ends both processes and frees the port', async (signal, code) => {
    const command = convsim(node(waiting))
    await command.untilStdout(/\d+\n/)
    const [url = '', pid = ''] = command.stdout().trim().split(' ')
    expect(await isListening(url)).toBe(true)
    command.process.kill(signal)
    expect(await command.ended).toBe(code)
    expect(await isListening(url)).toBe(false)
    expect(() => process.kill(Number(pid), 0)).toThrow(/ESRCH/)
  })

  test('the command can handle a signal itself', async () => {
    const code = `process.on('SIGTERM', () => process.exit(5)); ${waiting}`
    const command = convsim(node(code))
    await command.untilStdout(/\d+\n/)
    command.process.kill('SIGTERM')
    expect(await command.ended).toBe(5)
  })
})

describe('--fail-on', () => {
  test.each([
    {
      name: 'fails as no-requests with --fail-on',
      flags: ['--fail-on', 'violation'],
      exit: 3,
      says: /\(no-requests\)/,
    },
    {
      name: 'is a warning without --fail-on',
      flags: [],
      exit: 0,
      says: /no request reached .* --env NAME .* --allow-no-/,
    },
    {
      name: 'is fine where it is allowed',
      flags: ['--fail-on', 'violation', '--allow-no-requests'],
      exit: 0,
      says: /^convsim: 0 requests.*\n$/,
    },
  ])('a run without requests $name', async ({ flags, exit, says }) => {
    const { code, stderr } = await run(node('0', ...flags))
    expect([code, stderr]).toEqual([exit, expect.stringMatching(says)])
  })

  test.each([
    { gates: 'violation', code: bad, exit: 3, says: /--fail-on: 1 request broke the contract/ },
    { gates: 'violation', code: unexpected, exit: 0, says: /1 unexpected answer/ },
    { gates: 'violation', code: `${bad}.then(() => process.exit(4))`, exit: 4, says: /--fail-on: 1 request broke/ },
  ])('$gates exits with $exit', async ({ gates, code, exit, says }) => {
    const { code: ended, stderr } = await run(node(code, '--fail-on', gates))
    expect([ended, stderr]).toEqual([exit, expect.stringMatching(says)])
  })

  test('of an unknown condition is refused at start with the known ones', async () => {
    const { code, stderr } = await run(node(good, '--fail-on', 'violations'))
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/--fail-on takes violation, unexpected, manners, advice, no-requests and coverage<N/),
    ])
  })
})

test('the first ten findings are printed, and the rest is counted', { tags: ['long'] }, async () => {
  const code = `(async () => { for (let n = 0; n < 12; n += 1) await fetch(process.env.CONVSIM_BASE_URL + '/p' + n) })()`
  const { stderr } = await run(node(code))
  expect(stderr.match(/^ {2}unexpected: GET \/v1\/p\d+ on no operation: 404: /gm)).toHaveLength(10)
  expect(stderr).toMatch(/^ {2}2 further findings$/m)
})

describe('--report', () => {
  test('is written even if the command fails', async () => {
    const file = join(await tempFolder(), 'report.md')
    const ended = await run(node(`${bad}.then(() => process.exit(2))`, '--report', file))
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`the report is in ${file}.`) })
    expect(await readFile(file, 'utf8')).toMatch(/1 broke the contract/)
    expect(await readFile(file, 'utf8')).toMatch(
      /convsim [\d.]+, command .*node.* -e .*, seed 1, clock real, contract sha256:/s,
    )
  })

  test('is written to every file that is given, in the format of its name or its extension', {
    tags: ['long'],
  }, async () => {
    const folder = await tempFolder()
    const [summary, page, data] = ['summary', 'report.html', 'a=b.json'].map((name) => join(folder, name))
    const flags = ['--report', `markdown=${summary}`, '--report', `${page},${data}`]
    const { code, stderr } = await run(node(good, ...flags))
    expect(code).toBe(0)
    for (const file of [summary, page, data]) expect(stderr).toContain(`the report is in ${file}.\n`)
    expect(await readFile(summary ?? '', 'utf8')).toMatch(/^# /)
    expect(await readFile(page ?? '', 'utf8')).toMatch(/^<!doctype html>/)
    expect(JSON.parse(await readFile(data ?? '', 'utf8'))).toMatchObject({ requests: 1 })
  })

  test('to the same file twice is refused at start', async () => {
    const { code, stderr } = await run(node(good, '--report', 'a.md', '--report', 'json=./a.md'))
    expect([code, stderr]).toEqual([1, expect.stringMatching(/ \.\/a\.md: error: is given twice.*\(--report\)/)])
  })

  test('that cannot be written is named, and the others are written', { tags: ['long'] }, async () => {
    const folder = await tempFolder()
    const gone = join(folder, 'gone')
    await mkdir(gone)
    const remove = `require('node:fs').rmdirSync(${JSON.stringify(gone)})`
    const flags = ['--report', join(gone, 'a.md'), '--report', join(folder, 'b.md')]
    const { code, stderr } = await run(node(remove, ...flags))
    expect(code).toBe(1)
    expect(stderr).toMatch(/--report .*a\.md: cannot be written: ENOENT/)
    expect(await readFile(join(folder, 'b.md'), 'utf8')).toMatch(/^# /)
  })

  test('of an unknown format is refused at start', async () => {
    const { code, stderr } = await run(node(good, '--report', 'report.pdf'))
    expect([code, stderr]).toEqual([1, expect.stringMatching(/\.json, \.xml \(JUnit\), \.md or \.html/)])
  })

  test('in a missing folder is refused at start', async () => {
    const file = join(await tempFolder(), 'none', 'report.md')
    for (const args of [node(good, '--report', file), ['--port', '0', '--state', ':memory:', '--report', file]]) {
      const { code, stdout, stderr } = await run(args)
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/there is no folder .*none\. Make it/)])
    }
  })
})

describe('serve', () => {
  test('shows no credential that the command has as an argument', async () => {
    const file = join(await tempFolder(), 'report.json')
    const credentials = ['--token=secret-1', '--api-key', 'secret-2', 'Authorization: Bearer secret-3']
    await run(['exec', '--report', file, '--', process.execPath, '-e', good, '--', ...credentials])
    const text = await readFile(file, 'utf8')
    expect(text).not.toContain('secret-')
    expect(JSON.parse(text).run.command).toContain(
      '--token=[redacted] --api-key [redacted] Authorization: Bearer [redacted]',
    )
  })

  test('writes the report and applies --fail-on when it is stopped', async () => {
    const file = join(await tempFolder(), 'report.json')
    const command = convsim(['--port', '0', '--state', ':memory:', '--report', file, '--fail-on', 'violation'])
    const url = await command.ready()
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json', 'x-sim-sandbox': 'a' }
    await fetch(`${url}/v1/events`, { method: 'POST', headers, body: '{}' })
    await fetch(`${url}/__sim/reset?sandbox=a`, { method: 'POST' })
    command.process.kill('SIGTERM')
    expect(await command.ended).toBe(3)
    expect(command.stderr()).toMatch(/convsim: 1 request, 1 broke the contract/)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ sandbox: '*', violations: { requests: 1 } })
  })

  test('exits with 0 if no condition of --fail-on is met', async () => {
    const command = convsim([
      '--port',
      '0',
      '--state',
      ':memory:',
      '--allow-no-requests',
      '--fail-on',
      'violation,manners',
    ])
    await command.ready()
    command.process.kill('SIGINT')
    expect(await command.ended).toBe(0)
  })
})

describe('in the folder of another project', { tags: ['long'] }, () => {
  test('exec runs by the link that npm creates', async () => {
    const project = await tempFolder()
    const bin = join(project, 'node_modules', '.bin')
    await mkdir(bin, { recursive: true })
    await symlink(new URL('../../dist/cli.js', import.meta.url).pathname, join(bin, 'convsim'))
    const child = spawn(join(bin, 'convsim'), node(good), { cwd: project, stdio: ['ignore', 'pipe', 'ignore'] })
    let out = ''
    child.stdout.on('data', (text: Buffer) => {
      out += text
    })
    const [code] = await once(child, 'close')
    expect([code, out]).toEqual([0, '201\n'])
  })
})
