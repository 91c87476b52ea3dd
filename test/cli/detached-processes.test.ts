import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { convsim } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { untilGone } from '../support/until-gone.ts'

/** A suite with a descendant that has left the process group, and holds the output of the suite if `stdio` is "inherit". `hasMark`: false if convsim cannot find it. */
const suite = (file: string, stdio: string, hasMark: boolean) => `
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
const env = ${hasMark ? 'process.env' : '{}'}
const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { detached: true, stdio: '${stdio}', env })
child.unref()
appendFileSync(${JSON.stringify(file)}, child.pid + '\\n')
await fetch(process.env.CONVSIM_BASE_URL + '/models', { headers: { authorization: 'Bearer k' } })
process.exit(6)`

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs the suite, and returns the exit code and the descendant of the first run. */
async function runSuite(stdio: string, hasMark: boolean) {
  const file = join(await tempFolder(), 'pids')
  const code = suite(file, stdio, hasMark)
  const command = convsim([
    'exec',
    '--each',
    'reset',
    '--',
    process.execPath,
    '--input-type=module',
    '-e',
    code,
  ])
  const exit = await command.ended
  return { exit, pid: Number((await readFile(file, 'utf8')).split('\n')[0]) }
}

describe.runIf(process.platform === 'linux')('a process that has left the group of the command', () => {
  test.each(['inherit', 'ignore'])('ends with the run (stdio %s)', async (stdio) => {
    const { exit, pid } = await runSuite(stdio, true)
    expect(exit).toBe(6)
    await untilGone(pid)
  })
})

test('a process that convsim cannot find does not hold it, though it holds the output', async () => {
  const { exit, pid } = await runSuite('inherit', false)
  expect([exit, isAlive(pid)]).toEqual([6, true])
  process.kill(pid, 'SIGKILL')
})
