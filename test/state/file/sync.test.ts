import { expect, test, vi } from 'vitest'
import type { CompleteOptions } from '../../../src/state/file/write-ahead-log.ts'
import { type Store, StoreWriteError } from '../../../src/state/store.ts'
import { context, event } from '../drafts.ts'
import { openNew } from './open-file.ts'

/** Returns a disk whose syncs remain pending until the test calls `endSyncs`. */
function slowDisk() {
  const pending: (() => void)[] = []
  let count = 0
  const syncFile: CompleteOptions['syncFile'] = () => {
    count += 1
    return new Promise((resolve) => pending.push(resolve))
  }
  const endSyncs = async () => {
    for (const resolve of pending.splice(0)) resolve()
    await turn()
  }
  return { syncFile, endSyncs, syncs: () => count }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

const startWrites = (store: Store, count: number) =>
  Array.from({ length: count }, () => store.recordEvent(context, event()))

test('a write is acknowledged after its sync, and writes started during a sync share the next one', async () => {
  const disk = slowDisk()
  const { store } = await openNew({ sync: true, syncFile: disk.syncFile })
  const acknowledged: string[] = []
  const note = (name: string) => () => void acknowledged.push(name)
  void store.recordEvent(context, event()).then(note('first'))
  await turn()
  expect(disk.syncs()).toBe(1)
  const later = startWrites(store, 100).map((write) => write.then(note('later')))
  await turn()
  expect([disk.syncs(), acknowledged]).toEqual([1, []])
  await disk.endSyncs()
  await vi.waitUntil(() => acknowledged.length > 0, { timeout: 30_000 }) // creating a log also syncs the folder
  await turn()
  expect([disk.syncs(), acknowledged]).toEqual([2, ['first']])
  await disk.endSyncs()
  await Promise.all(later)
  expect([disk.syncs(), acknowledged.length]).toEqual([2, 101])
  const closed = store.close()
  for (let index = 0; index < 20; index += 1) await disk.endSyncs() // in case closing starts syncs
  await closed
})

test('a write that cannot be synced is refused, and so are all later writes', async () => {
  const reports: string[] = []
  let isBroken = false
  const { store } = await openNew({
    sync: true,
    syncFile: async () => {
      if (isBroken) throw new Error('EIO: i/o error, fdatasync')
    },
    report: (problem) => reports.push(problem),
  })
  await Promise.all(startWrites(store, 2))
  isBroken = true
  const broken = await Promise.allSettled(startWrites(store, 2))
  isBroken = false
  const later = await Promise.allSettled(startWrites(store, 2))
  for (const outcome of [...broken, ...later]) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreWriteError) })
    expect(String(outcome.status === 'rejected' && outcome.reason)).toContain('EIO')
  }
  expect(reports).toEqual([expect.stringContaining('its log could not be synced to disk (EIO')])
})

test('without the sync setting, no write waits for a sync', async () => {
  const disk = slowDisk()
  const { store } = await openNew({ syncFile: disk.syncFile })
  await Promise.all(startWrites(store, 10))
  expect(disk.syncs()).toBe(0)
  const closed = store.close()
  for (let index = 0; index < 20; index += 1) await disk.endSyncs()
  await closed
})
