import fs, { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { StateFile } from '../../../src/state/file/state-file.ts'
import { StateData } from '../../../src/state/memory/state-data.ts'
import { type Store, StoreWriteError } from '../../../src/state/store.ts'
import { context, event, product, prompt } from '../drafts.ts'
import { copyAsKilled, limitDisk, listIds, openOrFail, recordAll, statePath } from './open-file.ts'

/** Opens a store on a disk that can be full, with one stored event. */
async function openOnDisk() {
  const path = statePath()
  const reports: string[] = []
  const disk = limitDisk()
  const { store } = await openOrFail(path, { report: (problem) => reports.push(problem) })
  await recordAll(store, ['a'])
  return { path, disk, store, reports }
}

async function expectRefused(writes: readonly Promise<unknown>[], reason: string): Promise<void> {
  for (const outcome of await Promise.allSettled(writes)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreWriteError) })
    expect(String(outcome.status === 'rejected' && outcome.reason)).toContain(reason)
  }
}

test('a full disk refuses writes and changes nothing, and writes are accepted once there is space', async () => {
  const { path, disk, store } = await openOnDisk()
  const everything = async () => [
    await store.exportSandbox('default'),
    await store.eventImpact('default', { productIds: [product] }),
    await store.size(),
    await store.listSnapshots('default'),
  ]
  const before = await everything()
  disk.free = 100
  const refused = [
    store.recordEvent(context, event({ insertId: 'b' })),
    store.recordEvent(context, event({ insertId: 'a' })),
    store.recordEvent(context, event()),
    store.addPromptVersion(context, prompt({ externalPromptId: 'p' })),
    store.putQuality('default', { weight: 1 }),
    store.createSnapshot(context),
    store.reset('default'),
    store.recordEvent({ ...context, sandbox: 'new' }, event()),
    store.deleteSandbox('default'),
  ]
  await expectRefused(refused, 'no space left on device')
  expect(await everything()).toEqual(before)
  disk.free = Number.POSITIVE_INFINITY
  await recordAll(store, ['b', 'a'])
  expect((await store.recordEvent(context, event())).event.repeatOf).toBeUndefined()
  const again = await openOrFail(copyAsKilled(path))
  expect(await listIds(again.store)).toEqual(['a', 'b', undefined])
})

test('no read sees a change that is refused, and every read sees a stored one', async () => {
  const { disk, store } = await openOnDisk()
  disk.free = 100
  const refused = recordAll(store, ['b', 'c']).catch(String)
  const seen = [listIds(store), listIds(store.fork()), store.size()]
  expect(await refused).toContain('no space left on device')
  expect(await Promise.all(seen)).toMatchObject([['a'], ['a'], { sandboxes: 1, events: 1 }])
  disk.free = Number.POSITIVE_INFINITY
  const stored = recordAll(store, ['b'])
  expect(await listIds(store)).toEqual(['a', 'b'])
  await stored
})

test('a full disk costs one reading of the state, and refuses only changes that do not fit', async () => {
  const { disk, store } = await openOnDisk()
  const read = vi.spyOn(StateFile.prototype, 'read')
  onTestFinished(() => read.mockRestore())
  disk.free = 0
  for (let turn = 0; turn < 20; turn += 1)
    await expectRefused(
      ['b', 'c'].map((insertId) => store.recordEvent(context, event({ insertId }))),
      'no space',
    )
  expect(read).toHaveBeenCalledTimes(1)
  disk.free = 2000
  const large = event({ insertId: 'large', properties: { text: 'x'.repeat(5000) } })
  const [tooLarge, small] = await Promise.allSettled([store.recordEvent(context, large), recordAll(store, ['small'])])
  expect([tooLarge.status, small.status]).toEqual(['rejected', 'rejected']) // the part that fits has filled the disk
  disk.free = Number.POSITIVE_INFINITY
  await recordAll(store, ['b', 'c'])
  expect(await listIds(store)).toEqual(['a', 'b', 'c'])
  for (let index = 0; index < 100; index += 1) await recordAll(store, [`one by one ${index}`])
  const { writes } = disk
  await recordAll(store, ['e', 'f', 'g'])
  expect(disk.writes).toBe(writes + 1) // a turn is one write again
})

test('all writes end if the state cannot be read again after a full disk, which is said once', async () => {
  const { path, disk, store, reports } = await openOnDisk()
  writeFileSync(path, 'damaged meanwhile')
  disk.free = 100
  await expect(recordAll(store, ['b', 'c'])).rejects.toThrow('could not be read again after a write that failed')
  disk.free = Number.POSITIVE_INFINITY
  await expect(recordAll(store, ['d'])).rejects.toThrow('The state is not written any more')
  expect(await store.findLoss()).toContain('is no file of ours')
  expect(reports).toHaveLength(1)
  await store.close()
  expect(readFileSync(path, 'utf8')).toBe('damaged meanwhile')
  expect(readFileSync(`${path}.journal`, 'utf8')).toContain('"insertId":"a"')
})

test.each(['one by one', 'together'])(
  'changes %s of which one cannot be applied are refused, and leave no trace',
  async (how) => {
    const { path, disk, store } = await openOnDisk()
    if (how === 'one by one') {
      disk.free = 0
      await expectRefused([recordAll(store, ['full'])], 'no space')
      disk.free = Number.POSITIVE_INFINITY
    }
    const before = readFileSync(`${path}.journal`, 'utf8')
    vi.spyOn(StateData.prototype, 'apply').mockImplementationOnce(() => {
      throw new RangeError('out of memory')
    })
    const refused = [
      recordAll(store, ['b']),
      ...(how === 'together' ? [store.putQuality('default', { weight: 1 })] : []),
    ]
    await expectRefused(refused, '(out of memory)')
    expect(readFileSync(`${path}.journal`, 'utf8')).toBe(before)
    await recordAll(store, ['c'])
    expect(await listIds(store)).toEqual(['a', 'c'])
    const again = await openOrFail(copyAsKilled(path))
    expect(await listIds(again.store)).toEqual(['a', 'c'])
  },
)

test('a checkpoint that cannot be written leaves the log, and is reported', async () => {
  const { path, store, reports } = await openOnDisk()
  renameSync(path, `${path}.aside`)
  mkdirSync(`${path}/in-the-way`, { recursive: true })
  await store.close()
  expect(reports).toEqual([expect.stringContaining('checkpoint of the state could not be written')])
  rmSync(path, { recursive: true })
  renameSync(`${path}.aside`, path)
  expect(await listIds((await openOrFail(path)).store)).toEqual(['a'])
})

test('a stop that fails to close the files releases the lock', async () => {
  const { path, store } = await openOnDisk()
  vi.spyOn(StateFile.prototype, 'close').mockRejectedValueOnce(new Error('EIO'))
  await expect(store.close()).rejects.toThrow('EIO')
  expect(existsSync(`${path}.lock`)).toBe(false)
})

/** Replaces the syncs of logs, until the end of the test, by ones that end when the test says so. */
function slowDisk() {
  const waiting: (() => void)[] = []
  const disk = { syncs: 0, fault: undefined as Error | undefined }
  const sync = (_: number, callback: (error: Error | null) => void) => {
    disk.syncs += 1
    waiting.push(() => callback(disk.fault ?? null))
  }
  const spy = vi.spyOn(fs, 'fdatasync').mockImplementation(sync)
  onTestFinished(() => spy.mockRestore())
  const endSync = async () => {
    for (const end of waiting.splice(0)) end()
    await turn()
  }
  return Object.assign(disk, { endSync })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

const record = (store: Store, count: number) => Array.from({ length: count }, () => store.recordEvent(context, event()))

/** Ends the syncs of a store until a promise is settled. */
async function endSyncsUntil(disk: ReturnType<typeof slowDisk>, settled: Promise<unknown>): Promise<void> {
  let isSettled = false
  const noted = settled.catch(() => undefined).then(() => (isSettled = true))
  while (!isSettled) await disk.endSync()
  await noted
}

test('with sync a write is acknowledged once it is synced, and writes that come meanwhile share the next', async () => {
  const { store } = await openOrFail(statePath(), { sync: true })
  const disk = slowDisk()
  const acknowledged: string[] = []
  const note = (name: string) => () => void acknowledged.push(name)
  for (const write of record(store, 1)) void write.then(note('first'))
  await turn()
  expect(disk.syncs).toBe(1)
  const later = record(store, 100).map((write) => write.then(note('later')))
  await turn()
  expect([disk.syncs, acknowledged]).toEqual([1, []])
  await disk.endSync()
  await vi.waitUntil(() => acknowledged.length > 0, { timeout: 10_000 }) // the folder is synced after a new log
  await turn()
  expect([disk.syncs, acknowledged]).toEqual([2, ['first']])
  await disk.endSync()
  await Promise.all(later)
  expect([disk.syncs, acknowledged.length]).toEqual([2, 101])
  await endSyncsUntil(disk, store.close()) // the checkpoint syncs the log, too
})

test('with sync a write that cannot be synced is refused, and so are all later writes', async () => {
  const reports: string[] = []
  const { store } = await openOrFail(statePath(), { sync: true, report: (problem) => reports.push(problem) })
  const disk = slowDisk()
  disk.fault = new Error('EIO: i/o error, fdatasync')
  const broken = record(store, 2)
  await Promise.all([expectRefused(broken, 'EIO'), endSyncsUntil(disk, Promise.allSettled(broken))])
  disk.fault = undefined
  await expectRefused(record(store, 2), 'EIO')
  expect(reports).toEqual([expect.stringContaining('the disk failed to sync its log (EIO')])
})

test('without sync no write waits for the disk', async () => {
  const { store } = await openOrFail(statePath())
  const disk = slowDisk()
  await Promise.all(record(store, 10))
  expect(disk.syncs).toBe(0)
  await endSyncsUntil(disk, store.close())
})
