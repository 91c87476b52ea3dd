import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openFileStore } from '../../../src/state/file/file-store.ts'
import { cli, convsim, startProgram } from '../../support/command.ts'
import { context, event } from '../drafts.ts'
import { openNew, openOrFail, problemOf, statePath } from './open-file.ts'

function readHolder(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(`${path}.lock`, 'utf8'))
}

function writeHolder(path: string, holder: Record<string, unknown>): void {
  writeFileSync(`${path}.lock`, JSON.stringify(holder))
}

/** Returns the content of this process's lock file, but with another nonce. */
async function otherHolder(path: string): Promise<Record<string, unknown>> {
  const { store } = await openOrFail(path)
  const holder = readHolder(path)
  await store.close()
  return { ...holder, nonce: 'other-process' }
}

test('opening a file that is in use is refused, and the message names the process that uses it', async () => {
  const { path, store } = await openNew()
  const problem = await problemOf(path)
  expect(problem).toContain(`in use by process ${process.pid} since `)
  expect(problem).toContain('Stop that process, or choose another file')
  await store.recordEvent(context, event())
  await store.close()
  expect(existsSync(`${path}.lock`)).toBe(false)
  expect(await problemOf(path)).toBe('none')
})

test('closing a store succeeds even if the lock file cannot be removed', async () => {
  const { path, store } = await openNew()
  rmSync(`${path}.lock`)
  mkdirSync(`${path}.lock`)
  await expect(store.close()).resolves.toBeUndefined()
})

test('a server that cannot start because of a file size limit leaves no file behind', async () => {
  const path = statePath()
  const script = `trap '' XFSZ; ulimit -f 0; exec '${process.execPath}' '${cli}' --port 0 --state '${path}'`
  const command = startProgram('bash', ['-c', script])
  expect(await command.ended).toBe(1)
  expect(command.stderr()).toContain('EFBIG')
  expect(readdirSync(dirname(path))).toEqual([])
})

test('the lock of a dead process is taken over, and the load summary names that process', async () => {
  const path = statePath()
  const dead = spawnSync(process.execPath, ['--version']).pid
  writeHolder(path, { ...(await otherHolder(path)), pid: dead, born: '1' })
  const { loaded } = await openOrFail(path)
  expect(loaded.tookOverFrom).toMatchObject({ pid: dead })
  expect(readHolder(path)).toMatchObject({ pid: process.pid })
})

test.runIf(existsSync('/proc/self/stat'))('a stale lock is taken over even if its pid is in use again', async () => {
  const path = statePath()
  writeHolder(path, { ...(await otherHolder(path)), born: '1' })
  expect((await openOrFail(path)).loaded.tookOverFrom).toMatchObject({ pid: process.pid })
})

test.each([
  ['is empty', ''],
  ['has a path as its nonce', JSON.stringify({ pid: 0, nonce: '/../../elsewhere' })],
])('a lock file that %s is taken over as the lock of an unknown dead process', async (_, content) => {
  const path = statePath()
  writeFileSync(`${path}.lock`, content)
  const { loaded } = await openOrFail(path)
  expect(loaded.tookOverFrom).toMatchObject({ pid: 0 })
})

test('a lock file that is a dangling link is refused', async () => {
  const path = statePath()
  symlinkSync('nowhere', `${path}.lock`)
  expect(await problemOf(path)).toContain(`${path}.lock is a dangling link`)
})

test('opening is refused if another process takes over the lock while the lock file is being written', async () => {
  const path = statePath()
  const other = await otherHolder(path)
  class InterferingDate extends Date {
    constructor() {
      super()
      if (!existsSync(`${path}.lock`)) return
      rmSync(`${path}.lock`)
      writeHolder(path, other)
    }
  }
  vi.stubGlobal('Date', InterferingDate) // the lock reads the time after creating its file
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(await problemOf(path)).toContain('in use by process')
})

test('exactly one of many concurrent calls acquires a free lock or takes over a stale lock', async () => {
  const path = statePath()
  const holder = await otherHolder(path)
  for (const isStale of [false, true]) {
    if (isStale) writeHolder(path, { ...holder, pid: 0 })
    const opened = await Promise.all(Array.from({ length: 20 }, () => openFileStore(path)))
    const winners = opened.flatMap((outcome) => (outcome.ok ? [outcome.value.store] : []))
    expect(winners).toHaveLength(1)
    await winners[0]?.close()
  }
})

test('exactly one of many processes takes over a stale lock', { tags: ['long'] }, async () => {
  const path = statePath()
  writeHolder(path, { ...(await otherHolder(path)), pid: 0 })
  const commands = Array.from({ length: 5 }, () => convsim(['--port', '0', '--state', path]))
  const outcomes = await Promise.all(commands.map((command) => command.ready().catch(String)))
  expect(outcomes.filter((outcome) => outcome.startsWith('http:'))).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome.includes('in use by process'))).toHaveLength(4)
})
