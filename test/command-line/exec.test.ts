import { constants } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { event } from '../support/client.ts'
import { convsim, run } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Returns the arguments that run JavaScript code with `convsim exec`. */
const nodeArgs = (code: string, ...options: string[]) => ['exec', ...options, '--', process.execPath, '-e', code]

const commandArgs = (...words: string[]) => ['exec', '--', ...words]

/** Returns JavaScript code that sends a request and prints the status of the response. */
const send = (path: string, body?: object) => {
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
  const init = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) }
  return `fetch(process.env.CONVSIM_BASE_URL + '${path}', ${JSON.stringify(init)})
    .then((response) => console.log(response.status))`
}

const good = send('/events', event({ value: '1' }))
const bad = send('/events', {})
const unexpected = send('/nowhere')

describe('the command', () => {
  test('gets the base URL and control URL in its environment, and the base URL also in custom variables', async () => {
    const code = `const { CONVSIM_BASE_URL: a, CONVSIM_CONTROL_URL: b, API_URL: c, OTHER: d } = process.env
      console.log(JSON.stringify([a, b, c, d]))`
    const { code: exit, stdout } = await run(nodeArgs(code, '--env', 'API_URL', '--env', 'OTHER'))
    expect(exit).toBe(0)
    const [base, control, ...named] = JSON.parse(stdout)
    expect(base).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect([control, ...named]).toEqual([base.replace('/v1', '/__sim'), base, base])
  })

  test.each([
    [{}, '127.0.0.1', '127.0.0.1'],
    [{ NO_PROXY: 'a.example, b.example' }, 'a.example, b.example,127.0.0.1', 'a.example, b.example,127.0.0.1'],
    [{ NO_PROXY: 'a.example', no_proxy: 'b.example' }, 'a.example,127.0.0.1', 'b.example,127.0.0.1'],
    [{ no_proxy: '*' }, '*', '*'],
    [{ no_proxy: '127.0.0.1' }, '127.0.0.1', '127.0.0.1'],
  ])('gets NO_PROXY variables that exempt the simulator from the HTTP proxy: %j', async (given, upper, lower) => {
    const code = 'console.log(JSON.stringify([process.env.NO_PROXY, process.env.no_proxy]))'
    const { stdout } = await run(nodeArgs(code), { env: { http_proxy: 'http://127.0.0.1:9', ...given } })
    expect(JSON.parse(stdout)).toEqual([upper, lower])
  })

  test('has stdout to itself; the summary goes to stderr, and no state file is written', async () => {
    const cwd = await tempFolder()
    const { stdout, stderr } = await run(nodeArgs(good), { cwd })
    expect(stdout).toBe('201\n')
    expect(stderr).toMatch(
      /^convsim: 1 request, 0 broke the contract, 0 unexpected responses, 0 retry problems, 1 piece of advice, [\d.]+% of the contract covered\.\n {2}advice: createEvent: body: link: .* POST \/v1\/events, sandbox default.*\)\n$/,
    )
    expect(await readdir(cwd)).toEqual([])
  })

  test('reads convsim’s stdin', async () => {
    const { process: child, stdout, ended } = convsim(nodeArgs('process.stdin.pipe(process.stdout)'), { stdin: 'pipe' })
    child.stdin?.end('hello')
    expect([await ended, stdout()]).toEqual([0, 'hello'])
  })

  test.each([
    [7, nodeArgs('process.exit(7)'), /^/],
    [137, nodeArgs("process.kill(process.pid, 'SIGKILL')"), /^/],
    [1, commandArgs('false'), /^/],
    [127, commandArgs('no-such-command-here'), /Command not found: no-such-command-here\./],
    [126, commandArgs('./package.json'), /package\.json cannot be run/],
    [126, commandArgs('./package.json/x'), /package\.json\/x cannot be run: spawn ENOTDIR/],
    [126, commandArgs('npm test '.repeat(40)), /npm test.* cannot be run: spawn ENAMETOOLONG/],
    [1, commandArgs(''), /The command name is empty\. Is a variable unset\? Usage: convsim exec/],
  ])('determines the exit code %i: %j', async (code, args, words) => {
    expect(await run(args)).toEqual({ code, stdout: '', stderr: expect.stringMatching(words) })
  })

  test('keeps its own PORT variable, which convsim ignores', { tags: ['long'] }, async () => {
    const code = 'console.log(process.env.PORT, process.env.CONVSIM_BASE_URL)'
    const { stdout } = await run(nodeArgs(code), { env: { PORT: '1' } })
    expect(stdout).toMatch(/^1 http:\/\/127\.0\.0\.1:(?!1\/)/)
  })

  test('has its stdout in blocking mode, as if it had been run directly', { tags: ['long'] }, async () => {
    const { stdout } = await run(commandArgs('sh', '-c', 'grep flags /proc/self/fdinfo/1'))
    const [, octal = ''] = /flags:\s*([0-7]+)/.exec(stdout) ?? []
    expect(Number.parseInt(octal, 8) & constants.O_NONBLOCK).toBe(0)
  })

  const waiting = `console.log(process.env.CONVSIM_BASE_URL + ' ' + process.pid); setTimeout(() => {}, 60_000)`

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('is stopped together with convsim on %s, and the port is freed', async (signal, code) => {
    const command = convsim(nodeArgs(waiting))
    await command.untilStdout(/\d+\n/)
    const [url = '', pid = ''] = command.stdout().trim().split(' ')
    expect((await fetch(url)).status).toBe(404)
    expect(await command.stop(signal)).toBe(code)
    await expect(fetch(url)).rejects.toThrow()
    expect(() => process.kill(Number(pid), 0)).toThrow(/ESRCH/)
  })

  test('can handle a signal itself', async () => {
    const command = convsim(nodeArgs(`process.on('SIGTERM', () => process.exit(5)); ${waiting}`))
    await command.untilStdout(/\d+\n/)
    expect(await command.stop()).toBe(5)
  })
})

describe('convsim exec', () => {
  const flags = ['--fail-on', 'violation']
  const failing = `${bad}.then(() => process.exit(4))`
  const known = /--fail-on takes violation, unexpected, retry, unmet, advice, no-requests and coverage<N/

  test.each([
    ['fails a run without requests, and names the condition', flags, '0', 3, /\(no-requests\)/],
    ['warns by default about a run without requests', [], '0', 0, /no request reached .* --env NAME\..* --allow-no-/],
    ['passes a run without requests if allowed', [...flags, '--allow-no-requests'], '0', 0, /^convsim: 0 req.*\n$/],
    ['fails a run with a violation', flags, bad, 3, /--fail-on: 1 request broke the contract/],
    ['passes a run whose findings match no --fail-on condition', flags, unexpected, 0, /1 unexpected response/],
    ['keeps the exit code of a failing command', flags, failing, 4, /--fail-on: 1 request broke/],
    ['refuses an unknown condition and lists the known conditions', ['--fail-on', 'violations'], good, 1, known],
  ])('%s', async (_, options, script, exit, words) => {
    const { code, stderr } = await run(nodeArgs(script, ...options))
    expect([code, stderr]).toEqual([exit, expect.stringMatching(words)])
  })

  test('prints a finding of each kind before a second finding of any kind', async () => {
    const { stderr } = await run(nodeArgs(`${bad}.then(() => ${unexpected})`))
    expect(stderr.match(/(?<=^ {2})\w+(?=: )/gm)?.slice(0, 3)).toEqual(['violations', 'unexpected', 'violations'])
  })

  test('prints the first ten findings and counts the rest', { tags: ['long'] }, async () => {
    const loop = "for (let n = 0; n < 12; n += 1) await fetch(process.env.CONVSIM_BASE_URL + '/p' + n)"
    const code = `(async () => { ${loop} })()`
    const { stderr } = await run(nodeArgs(code))
    expect(stderr.match(/^ {2}unexpected: GET \/v1\/p\d+ matches no operation: 404: /gm)).toHaveLength(10)
    expect(stderr).toMatch(/^ {2}2 further findings$/m)
  })
})

describe('a --report file', () => {
  test('is written even if the command fails', async () => {
    const file = join(await tempFolder(), 'report.md')
    const outcome = await run(nodeArgs(`${bad}.then(() => process.exit(2))`, '--report', file))
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining(`the report is in ${file}.`) })
    const report = await readFile(file, 'utf8')
    expect(report).toMatch(/1 broke the contract/)
    expect(report).toMatch(/convsim [\d.]+, command .*node.* -e .*, seed 1, clock real, contract sha256:/s)
  })

  test('that cannot be written is named in an error; other reports are written', { tags: ['long'] }, async () => {
    const cwd = await tempFolder()
    await mkdir(join(cwd, 'gone'))
    const remove = "require('node:fs').rmdirSync('gone')"
    const { code, stderr } = await run(nodeArgs(remove, '--report', 'gone/a.md', '--report', 'b.md'), { cwd })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/--report .*a\.md: cannot be written: ENOENT/)])
    expect(await readFile(join(cwd, 'b.md'), 'utf8')).toMatch(/^# /)
  })

  test.each([
    [nodeArgs(good, '--report', 'a.md', '--report', 'json=./a.md'), /--report and --report would .* the same file, /],
    [nodeArgs(good, '--report', 'none/report.md'), /there is no folder none\. Create it/],
    [nodeArgs(good, '--report', 'json=docs'), /is a folder, not a file/],
    [nodeArgs(good, '--report', 'json=new/'), /is a folder, not a file/],
  ])('is refused at startup: %j', async (args, words) => {
    expect(await run(args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(words) })
  })

  test('does not show credentials from the command’s arguments', async () => {
    const file = join(await tempFolder(), 'report.json')
    const credentials = ['--token=secret-1', '--api-key', 'secret-2', 'Authorization: Bearer secret-3']
    await run([...nodeArgs(good, '--report', file), '--', ...credentials])
    const report = await readFile(file, 'utf8')
    expect(report).not.toContain('secret-')
    expect(JSON.parse(report).run.command).toContain(
      '--token=[redacted] --api-key [redacted] Authorization: Bearer [redacted]',
    )
  })
})
