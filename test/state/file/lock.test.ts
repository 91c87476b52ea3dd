import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { openFileStore } from '../../../src/state/file/file-store.ts'
import { context, event } from '../drafts.ts'
import { openOrFail, problemOf, statePath } from './open-file.ts'

function holderIn(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(`${path}.lock`, 'utf8'))
}

function write(path: string, holder: Record<string, unknown>): void {
  writeFileSync(`${path}.lock`, JSON.stringify(holder))
}

/** A holder as this process would be one, to be changed into another. */
async function someHolder(path: string): Promise<Record<string, unknown>> {
  const { store } = await openOrFail(path)
  const holder = holderIn(path)
  await store.close()
  return { ...holder, nonce: 'of-another' }
}

test('a second opening is refused, and names the process that holds the file', async () => {
  const path = statePath()
  const { store } = await openOrFail(path)
  const problem = await problemOf(path)
  expect(problem).toContain(`in use by process ${process.pid} on `)
  expect(problem).toContain('Stop that process, or choose another file')
  await store.recordEvent(context, event())
  await store.close()
  expect(existsSync(`${path}.lock`)).toBe(false)
  expect(await problemOf(path)).toBe('it opened')
})

test('the lock of a dead process is taken over, and the opening says so', async () => {
  const path = statePath()
  const dead = spawnSync(process.execPath, ['--version']).pid
  write(path, { ...(await someHolder(path)), pid: dead, born: '1' })
  const { store, loaded } = await openOrFail(path)
  expect(loaded.tookOverFrom).toMatchObject({ pid: dead })
  expect(holderIn(path)).toMatchObject({ pid: process.pid })
  await store.close()
})

test.runIf(existsSync('/proc/self/stat'))(
  'a later process of the same pid does not keep a stale lock alive',
  async () => {
    const path = statePath()
    write(path, { ...(await someHolder(path)), born: '1' })
    expect((await openOrFail(path)).loaded.tookOverFrom).toMatchObject({ pid: process.pid })
  },
)

test('a lock from another machine or container counts as long as it is touched', async () => {
  const path = statePath()
  const foreign = { ...(await someHolder(path)), space: 'another machine', host: 'worker-7', pid: 1 }
  write(path, foreign)
  const beat = setInterval(() => utimesSync(`${path}.lock`, new Date(), new Date()), 300)
  expect(await problemOf(path)).toContain('process 1 on worker-7')
  clearInterval(beat)
  const { loaded, store } = await openOrFail(path)
  expect(loaded.tookOverFrom).toMatchObject({ pid: 1, host: 'worker-7' })
  await store.close()
})

test("a lock file that nobody can read is nobody's", async () => {
  const path = statePath()
  writeFileSync(`${path}.lock`, '')
  const { store } = await openOrFail(path)
  await store.close()
})

test('of many that open at once exactly one wins, also over a stale lock', async () => {
  const path = statePath()
  const holder = await someHolder(path)
  for (const stale of [false, true]) {
    if (stale) write(path, { ...holder, pid: 0 })
    const opened = await Promise.all(Array.from({ length: 20 }, () => openFileStore(path)))
    const winners = opened.flatMap((outcome) => (outcome.ok ? [outcome.value.store] : []))
    expect(winners).toHaveLength(1)
    await winners[0]?.close()
  }
})

test('of many processes exactly one wins, also over a stale lock', async () => {
  const path = statePath()
  write(path, { ...(await someHolder(path)), pid: 0 })
  const script = new URL('crash-writer.ts', import.meta.url).pathname
  const children = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ['--import', 'tsx', script, path, 'hold'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  const said = await Promise.all(
    children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).split('\n')[0]),
  )
  expect(said.filter((line) => line === 'open')).toHaveLength(1)
  expect(said.filter((line) => line?.startsWith('refused'))).toHaveLength(4)
})
