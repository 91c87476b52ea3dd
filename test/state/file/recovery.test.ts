import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { WriteAheadLog } from '../../../src/state/file/write-ahead-log.ts'
import { StateData } from '../../../src/state/memory/state-data.ts'
import { context, event, listInsertIds } from '../drafts.ts'
import { copyAsKilled, expectKept, openNew, openOrFail, problemOf, statePath } from './open-file.ts'

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

test('texts of any kind and size are unchanged after a kill and after a stop', async () => {
  const texts = ['', 'größe', '会話', '\ud800', '\u2028\n\r\t"\\', '__proto__', 'x'.repeat(2_000_000)]
  const { path, store } = await openNew()
  for (const value of texts) await store.recordEvent(context, event({ value, properties: { [value]: [value] } }))
  await expectKept(path, store)
})

test('a written change that cannot be applied is removed from the log', async () => {
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

test('a link instead of the log is refused, and its target is not changed', async () => {
  const path = statePath()
  const victim = `${path}.victim`
  writeFileSync(victim, 'precious')
  symlinkSync(victim, `${path}.journal`)
  expect(await problemOf(path)).toContain('is not a file')
  expect(readFileSync(victim, 'utf8')).toBe('precious')
})

test('a stop that fails to close the files releases the lock', async () => {
  const { path, store } = await openWithOne()
  vi.spyOn(WriteAheadLog.prototype, 'close').mockRejectedValueOnce(new Error('EIO'))
  await expect(store.close()).rejects.toThrow('EIO')
  Object.assign(store, { close: async () => undefined }) // closing has already failed
  expect(existsSync(`${path}.lock`)).toBe(false)
})
