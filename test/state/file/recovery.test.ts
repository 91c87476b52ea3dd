import { existsSync, readFileSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { StateFile } from '../../../src/state/file/state-file.ts'
import { StateData } from '../../../src/state/memory/state-data.ts'
import { context, event, listInsertIds } from '../drafts.ts'
import { copyAsKilled, openNew, openOrFail, problemOf, statePath } from './open-file.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Opens a store on a disk that can be full, with one stored event. */
async function openOnDisk() {
  const path = statePath()
  const disk = { isFull: false, writes: 0 }
  const { store } = await openOrFail(path, {
    write: (fd, bytes, offset) => {
      disk.writes += 1
      if (disk.isFull) throw new Error('ENOSPC: no space left on device')
      return writeSync(fd, bytes, offset)
    },
  })
  const record = (insertId: string) => store.recordEvent(context, event({ insertId }))
  await record('a')
  return { path, disk, store, record, listIds: () => listInsertIds(store) }
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

test('a full disk costs one reading of the state, however many changes are refused', async () => {
  const { disk, record, listIds } = await openOnDisk()
  const read = vi.spyOn(StateFile.prototype, 'read')
  disk.isFull = true
  for (let turn = 0; turn < 20; turn += 1) {
    const outcomes = await Promise.allSettled(['b', 'c', 'd'].map(record))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  }
  expect(read).toHaveBeenCalledTimes(1)
  expect(await listIds()).toEqual(['a'])
  disk.isFull = false
  await Promise.all(['b', 'c', 'd'].map(record))
  expect(await listIds()).toEqual(['a', 'b', 'c', 'd'])
  for (let index = 0; index < 100; index += 1) await record(`one by one ${index}`)
  const { writes } = disk
  await Promise.all(['e', 'f', 'g'].map(record))
  expect(disk.writes).toBe(writes + 1) // a turn is one write again
})

test('a single change that cannot be written costs no reading of the state', async () => {
  const { disk, record, listIds } = await openOnDisk()
  const read = vi.spyOn(StateFile.prototype, 'read')
  disk.isFull = true
  await expect(record('b')).rejects.toThrow('ENOSPC')
  expect(read).not.toHaveBeenCalled()
  expect(await listIds()).toEqual(['a'])
})

test('a single change that was written and cannot be applied is taken off the log again', async () => {
  const { path, record, listIds } = await openOnDisk()
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
  const { path, store } = await openOnDisk()
  vi.spyOn(StateFile.prototype, 'close').mockRejectedValueOnce(new Error('EIO'))
  await expect(store.close()).rejects.toThrow('EIO')
  Object.assign(store, { close: async () => undefined }) // has failed already
  expect(existsSync(`${path}.lock`)).toBe(false)
})
