import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { WriteAheadLog } from '../../../src/state/file/write-ahead-log.ts'
import { StateData } from '../../../src/state/memory/state-data.ts'
import { context, event, listInsertIds } from '../drafts.ts'
import { copyAsKilled, openNew, openOrFail, problemOf, statePath } from './open-file.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Opens a store with one stored event. */
async function openWithOne() {
  const { path, store } = await openNew()
  const record = (insertId: string) => store.recordEvent(context, event({ insertId }))
  await record('a')
  return { path, store, record, listIds: () => listInsertIds(store) }
}

test('files are read in pieces, with lines that are shorter and longer than a piece', async () => {
  const { path, store } = await openNew()
  const draft = (insertId: string, index: number) => event({ insertId, value: 'ü'.repeat(400_000 * (index % 4)) })
  const ids = Array.from({ length: 9 }, (_, index) => `event ${index}`)
  for (const [index, id] of ids.entries()) await store.recordEvent(context, draft(id, index))
  const fromLog = await openOrFail(copyAsKilled(path))
  await store.close()
  for (const { store: read } of [fromLog, await openOrFail(path)]) expect(await listInsertIds(read)).toEqual(ids)
})

test('a change that was written and cannot be applied is taken off the log again', async () => {
  const { path, record, listIds } = await openWithOne()
  const before = readFileSync(`${path}.journal`, 'utf8')
  vi.spyOn(StateData.prototype, 'apply').mockImplementationOnce(() => {
    throw new RangeError('out of memory')
  })
  await expect(record('b')).rejects.toThrow('out of memory')
  expect(readFileSync(`${path}.journal`, 'utf8')).toBe(before)
  await record('c')
  expect(await listIds()).toEqual(['a', 'c'])
  const again = await openOrFail(copyAsKilled(path))
  expect(again.loaded.events).toBe(2)
})

test('a link in the place of the log is refused, and its file stays', async () => {
  const path = statePath()
  const victim = `${path}.victim`
  writeFileSync(victim, 'precious')
  symlinkSync(victim, `${path}.journal`)
  expect(await problemOf(path)).toContain('is no file')
  expect(readFileSync(victim, 'utf8')).toBe('precious')
})

test('a stop that fails to close the files releases the lock', async () => {
  const { path, store } = await openWithOne()
  vi.spyOn(WriteAheadLog.prototype, 'close').mockRejectedValueOnce(new Error('EIO'))
  await expect(store.close()).rejects.toThrow('EIO')
  Object.assign(store, { close: async () => undefined }) // has failed already
  expect(existsSync(`${path}.lock`)).toBe(false)
})
