import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundledFixtures } from '../../src/service/fixtures/bundled.ts'
import { cli, convsim, inMemory, startProgram } from '../support/command.ts'
import { tempFile, tempFolder } from '../support/temp-folder.ts'

test.each([
  ['the --rules file', ['--rules', 'other'], 'other'],
  ['the --contract file', ['--contract', 'other'], 'other'],
  ['the --overlay file', ['--overlay', 'other'], 'other'],
  ['the --seed-state file', ['--seed-state', 'other'], 'other'],
  ['a fixture', ['--fixtures', 'fixtures'], 'fixtures/plans.yaml'],
  ['an exact response', ['--fixtures', 'fixtures'], 'fixtures/responses/a.json'],
  ['the lock file', ['--state', 'state.json'], 'state.json.lock'],
  ['the write-ahead log', ['--state', 'state.json'], 'state.json.journal', 'is not a file'],
])('a named pipe is refused at once as %s', async (_, args, file, reason = 'is a pipe; expected a regular file') => {
  const cwd = await tempFolder()
  await cp(bundledFixtures, join(cwd, 'fixtures'), { recursive: true })
  mkdirSync(join(cwd, 'fixtures/responses'), { recursive: true })
  execFileSync('mkfifo', [`${join(cwd, file)}-pipe`])
  execFileSync('mv', [`${join(cwd, file)}-pipe`, join(cwd, file)])
  const { ended, stderr } = convsim(['--port', '0', ...args], { cwd })
  expect(await ended).toBe(1)
  expect(stderr()).toContain(file)
  expect(stderr()).toContain(reason)
})

test.each(['serve', 'check', 'exec -- true', 'drift http://127.0.0.1:9'])(
  'convsim %s, run in a deleted folder, says what is wrong',
  async (words) => {
    const cwd = await tempFolder()
    const script = `rmdir "$PWD"; exec "$0" "$1" ${words}`
    const shell = startProgram('sh', ['-c', script, process.execPath, cli], { cwd })
    expect(await shell.ended).toBe(1)
    expect(shell.stderr()).toMatch(
      /^convsim: The working directory cannot be used \(.*ENOENT.*\)\. Change to a folder that exists\.\n$/,
    )
  },
)

test.each(['--rules', '--contract', '--overlay', '--seed-state'])(
  'a file for %s that is empty, or contains only a comment, is refused as empty',
  async (flag) => {
    for (const text of ['', '\n', '# a comment\n']) {
      const { ended, stderr } = convsim([...inMemory, flag, await tempFile(text, 'empty.yaml')])
      expect([await ended, stderr()]).toEqual([
        1,
        expect.stringContaining('empty.yaml:1:1: error: is empty; expected YAML or JSON'),
      ])
    }
  },
)

test('an empty state file, as created by mktemp, is treated as new', async () => {
  const file = await tempFile('', 'state.json')
  const { ready, stop, stderr } = convsim(['--port', '0', '--state', file])
  await ready()
  expect(await stop()).toBe(0)
  expect(stderr()).toContain(`The state file ${file} was empty, so it was treated as a new file.`)
  expect(await readFile(file, 'utf8')).toContain('convsim state')
})

test('recorded traffic in a named pipe is refused, but a shell’s process substitution is not', async () => {
  const cwd = await tempFolder()
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  const named = convsim(['drift', '--har', 'pipe'], { cwd })
  expect([await named.ended, named.stderr()]).toEqual([1, expect.stringContaining('pipe is a pipe; expected a')])
  const har = await tempFile('{"log": {"entries": []}}', 'a.har')
  const script = `exec "$0" "$1" drift --har <(sleep 0.3; cat ${har})`
  const shell = startProgram('bash', ['-c', script, process.execPath, cli])
  await shell.ended
  expect(shell.stderr() + shell.stdout()).not.toContain('pipe')
})

test('SIGTERM ends a command that is waiting for input from a shell’s process substitution', async () => {
  const script = 'exec "$0" "$1" drift --har <(head -c 200000 /dev/zero; echo >&2 waits; exec sleep 30 2>/dev/null)'
  const shell = startProgram('bash', ['-c', script, process.execPath, cli])
  await shell.untilStderr(/waits/)
  expect(['SIGTERM', 143]).toContain(await shell.stop())
})

const canMount = spawnSync('unshare', ['-m', 'true']).status === 0

test.runIf(canMount)('a report can be written to a bind-mounted file', async () => {
  const cwd = await tempFolder()
  for (const name of ['mounted', 'report.md']) await writeFile(join(cwd, name), 'old')
  const script = 'mount --bind mounted report.md && exec "$0" "$1" exec --report report.md --allow-no-requests -- true'
  const { ended, stderr } = startProgram('unshare', ['-m', 'sh', '-c', script, process.execPath, cli], { cwd })
  expect([await ended, stderr()]).toEqual([0, expect.stringContaining('the report is in report.md')])
  expect(await readFile(join(cwd, 'mounted'), 'utf8')).toMatch(/^# /)
})
