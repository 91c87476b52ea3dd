import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { WriteAheadLog } from '../../../src/state/file/write-ahead-log.ts'
import { StateData } from '../../../src/state/memory/state-data.ts'
import { context, event, listInsertIds } from '../drafts.ts'
import { copyAsKilled, expectSame, openNew, openOrFail, problemOf, statePath } from './open-file.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Opens a store with one stored event. */
async function openWithOneEvent() {
  const { path, store } = await openNew()
  const record = (insertId: string) => store.recordEvent(context, event({ insertId }))
  await record('a')
  return { path, store, record, listIds: () => listInsertIds(store) }
}

test('strings of any length and content are unchanged after the process is killed or stopped', async () => {
  const strings = ['', 'größe', '会話', '\ud800', '\u2028\n\r\t"\\', '__proto__', 'x'.repeat(2_000_000)]
  const { path, store } = await openNew()
  for (const value of strings) await store.recordEvent(context, event({ value, properties: { [value]: [value] } }))
  await expectSame(path, store)
})

test('a logged change that cannot be applied is removed from the log', async () => {
  const { path, record, listIds } = await openWithOneEvent()
  const before = readFileSync(`${path}.journal`, 'utf8')
  vi.spyOn(StateData.prototype, 'apply').mockImplementationOnce(() => {
    throw new RangeError('out of memory')
  })
  await expect(record('b')).rejects.toThrow('out of memory')
  expect(readFileSync(`${path}.journal`, 'utf8')).toBe(before)
  await record('c')
  expect(await listIds()).toEqual(['a', 'c'])
  const reopened = await openOrFail(copyAsKilled(path))
  expect(reopened.loaded.events).toBe(2)
})

test('a symbolic link in place of the log is refused, and its target is not changed', async () => {
  const path = statePath()
  const victim = `${path}.victim`
  writeFileSync(victim, 'precious')
  symlinkSync(victim, `${path}.journal`)
  expect(await problemOf(path)).toContain('is not a file')
  expect(readFileSync(victim, 'utf8')).toBe('precious')
})

test('closing a store releases the lock even if the log cannot be closed', async () => {
  const { path, store } = await openWithOneEvent()
  vi.spyOn(WriteAheadLog.prototype, 'close').mockRejectedValueOnce(new Error('EIO'))
  await expect(store.close()).rejects.toThrow('EIO')
  Object.assign(store, { close: async () => undefined }) // closing it again after the test would also fail
  expect(existsSync(`${path}.lock`)).toBe(false)
})
