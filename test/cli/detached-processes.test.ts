import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { convsim } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A suite with a descendant that has left the process group, and holds the output of the suite. */
const suite = (file: string) => `
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { detached: true, stdio: 'inherit' })
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

/** Runs the suite, which is red and so made twice, and returns the exit code and the descendants. */
async function runSuite() {
  const file = join(await tempFolder(), 'pids')
  const code = suite(file)
  const command = convsim(['exec', '--each', 'reset', '--', process.execPath, '--input-type=module', '-e', code])
  const exit = await command.ended
  return { exit, pids: (await readFile(file, 'utf8')).trim().split('\n').map(Number) }
}

test('a process that has left the group of the command does not hold convsim, though it holds the output', async () => {
  const { exit, pids } = await runSuite()
  expect([exit, ...pids.map(isAlive)]).toEqual([6, true, true])
  for (const pid of pids) process.kill(pid, 'SIGKILL')
})
