import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Store, StoreWriteError } from '../../../src/state/store.ts'
import { context, event } from '../drafts.ts'
import { copyAsKilled, listIds, openOrFail, problemOf, statePath } from './open-file.ts'

const record = (store: Store, insertId: string) => store.recordEvent(context, event({ insertId }))

/** Opens a store that has acknowledged one event, and collects its reports. */
async function openFirst() {
  const path = statePath()
  const reports: string[] = []
  const { store } = await openOrFail(path, { report: (problem) => reports.push(problem) })
  await record(store, 'first')
  return { path, store, reports }
}

async function expectRefusal(store: Store, reason: string): Promise<void> {
  for (const insertId of ['refused', 'also refused']) {
    const error = await record(store, insertId).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(StoreWriteError)
    expect(String(error)).toContain(reason)
    expect(String(error)).toContain('GET /__sim/export')
  }
  expect(await listIds(store)).not.toContain('refused')
}

/** The ways in which a second process gets the lock of a process that lives. */
const takeovers: [string, (path: string) => void][] = [
  ['whose lock file was removed', (path) => rmSync(`${path}.lock`)],
  [
    'that was paused longer than its heartbeat allows, in another container',
    (path) => {
      const holder = JSON.parse(readFileSync(`${path}.lock`, 'utf8'))
      writeFileSync(`${path}.lock`, JSON.stringify({ ...holder, pid: 0, nonce: 'of the paused process' }))
    },
  ],
]

test.each(takeovers)('a process %s refuses writes once another process has the file', async (_, free) => {
  const { path, store, reports } = await openFirst()
  free(path)
  const second = await openOrFail(path)
  expect(await listIds(second.store)).toEqual(['first'])
  await record(second.store, 'second')
  await expectRefusal(store, 'took over its lock file')
  expect(reports).toHaveLength(1)
  await store.close()
  await record(second.store, 'third')
  await second.store.close()
  const third = await openOrFail(path)
  expect(await listIds(third.store)).toEqual(['first', 'second', 'third'])
  await third.store.close()
})

test('a process without a log refuses to begin one once another process has the file', async () => {
  const path = statePath()
  const { store } = await openOrFail(path)
  rmSync(`${path}.lock`)
  const second = await openOrFail(path)
  await expectRefusal(store, 'took over its lock file')
  await record(second.store, 'second')
  await store.close()
  await second.store.close()
  const third = await openOrFail(path)
  expect(await listIds(third.store)).toEqual(['second'])
  await third.store.close()
})

test('a checkpoint of a process that lost its lock does not replace the state file', async () => {
  const { path, store, reports } = await openFirst()
  rmSync(`${path}.lock`)
  const second = await openOrFail(path)
  await record(second.store, 'second')
  await second.store.close()
  await store.close()
  expect(reports.join()).toMatch(/was removed|took over/) // a heartbeat finds the one or the other
  const third = await openOrFail(path)
  expect(await listIds(third.store)).toEqual(['first', 'second'])
  await third.store.close()
})

const removals: [string, string, (path: string) => void][] = [
  ['the folder', 'its folder', (path) => rmSync(dirname(path), { recursive: true })],
  ['the log', 'its log', (path) => rmSync(`${path}.journal`)],
]

/** The ways in which the log stops being that of a process that goes on with its file. */
const detachments: [string, string, (path: string) => void][] = [
  ['moved away', 'was moved away', (path) => renameSync(`${path}.journal`, `${path}.aside`)],
  [
    'replaced',
    'was replaced',
    (path) => {
      renameSync(`${path}.journal`, `${path}.aside`)
      writeFileSync(`${path}.journal`, readFileSync(`${path}.aside`))
    },
  ],
  ['emptied', 'another program changed', (path) => truncateSync(`${path}.journal`)],
]

test.each(detachments)('a log that is %s is noticed without a write', async (_, reason, detach) => {
  const { path, store, reports } = await openFirst()
  expect(await store.findLoss()).toBeUndefined()
  detach(path)
  await vi.waitUntil(() => reports.length > 0, { timeout: 10_000 })
  expect(await store.findLoss()).toContain(reason)
  await expectRefusal(store, reason)
  expect(reports).toHaveLength(1)
  await store.close()
})

test.each(removals)('a write is refused after %s was removed', async (_, reason, remove) => {
  const { path, store, reports } = await openFirst()
  remove(path)
  await expectRefusal(store, reason)
  expect(reports).toHaveLength(1)
  expect(await listIds(store)).toEqual(['first'])
  await store.close()
})

test('a lost lock is reported without a write, too', async () => {
  const { path, store, reports } = await openFirst()
  rmSync(`${path}.lock`)
  await vi.waitUntil(() => reports.length > 0, { timeout: 10_000 })
  expect(reports).toEqual([expect.stringContaining('its lock file')])
  await store.close()
})

test('acknowledged entries that are missing from the end of the log are counted in a warning', async () => {
  const { path, store } = await openFirst()
  for (const insertId of ['b', 'c', 'd']) await record(store, insertId)
  const holder = () => JSON.parse(readFileSync(`${path}.lock`, 'utf8'))
  await vi.waitUntil(() => Number(holder().acknowledged) === 4, { timeout: 10_000 })
  const copy = copyAsKilled(path)
  const log = readFileSync(`${path}.journal`, 'utf8').split('\n')
  writeFileSync(`${copy}.journal`, `${log.slice(0, 3).join('\n')}\n`)
  writeFileSync(`${copy}.lock`, JSON.stringify({ ...holder(), pid: 0 }))
  const again = await openOrFail(copy)
  expect(again.loaded.warnings).toEqual([expect.stringContaining('2 acknowledged changes are lost')])
  await again.store.close()
  await store.close()
})

test('a start that is refused leaves the mode of its log as it was, and that of the file of a link', async () => {
  const { path, store } = await openFirst()
  const copy = copyAsKilled(path)
  await store.close()
  writeFileSync(copy, 'damaged')
  chmodSync(`${copy}.journal`, 0o640)
  expect(await problemOf(copy)).toContain('is no file of ours')
  expect(statSync(`${copy}.journal`).mode & 0o777).toBe(0o640)

  const linked = statePath()
  const victim = `${linked}.victim`
  writeFileSync(victim, 'precious', { mode: 0o644 })
  symlinkSync(victim, `${linked}.journal`)
  expect(await problemOf(linked)).toContain('is no file')
  expect(statSync(victim).mode & 0o777).toBe(0o644)
})

test('a lock file that cannot be read at present is no loss', async () => {
  const { path, store } = await openFirst()
  rmSync(`${path}.lock`)
  mkdirSync(`${path}.lock`) // a reading fails, and not since the file is missing, as with too many open files
  expect(await store.findLoss()).toBeUndefined()
  await record(store, 'second')
  rmdirSync(`${path}.lock`)
  await store.close()
})
