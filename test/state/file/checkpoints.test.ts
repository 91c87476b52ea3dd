import { mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { StateFile } from '../../../src/state/file/state-file.ts'
import { eventsIn, parseStateFile } from '../../support/state-file.ts'
import { listInsertIds, recordAll } from '../drafts.ts'
import { copyAsKilled, openNew, openOrFail } from './open-file.ts'

const waitOptions = { timeout: 30_000 }

const idsIn = (path: string) =>
  eventsIn(parseStateFile(readFileSync(path, 'utf8'))).map(({ fields: { insertId } }) => insertId)

test('an acknowledged event soon appears in the state file and is removed from the log', async () => {
  const { path, store } = await openNew({ checkpointMs: 200 })
  const ids = Array.from({ length: 1000 }, (_, index) => `e${index}`)
  await recordAll(store, ids)
  await vi.waitFor(() => expect(idsIn(path)).toEqual(ids), waitOptions)
  await recordAll(store, ['last'])
  await vi.waitFor(() => expect(idsIn(path)).toEqual([...ids, 'last']), waitOptions)
  await vi.waitFor(() => expect(readFileSync(`${path}.journal`, 'utf8')).toBe(''), waitOptions)
})

test('checkpoints take at most a twentieth of the time, however fast writes arrive', async () => {
  const { store } = await openNew({ checkpointMs: 0 })
  const checkpoints: { readonly startMs: number; readonly endMs: number }[] = []
  vi.spyOn(StateFile.prototype, 'write').mockImplementation(async () => {
    const startMs = performance.now()
    await sleep(30)
    checkpoints.push({ startMs, endMs: performance.now() })
  })
  onTestFinished(() => void vi.restoreAllMocks())
  for (let index = 0; checkpoints.length < 3; index += 1) {
    await recordAll(store, [`e${index}`])
    await sleep(1)
  }
  for (const [index, { startMs, endMs }] of checkpoints.slice(0, -1).entries())
    expect((checkpoints[index + 1]?.startMs ?? 0) - startMs).toBeGreaterThan(19 * (endMs - startMs))
})

test('a failed checkpoint is reported once, loses no changes, and is retried', async () => {
  const reports: string[] = []
  const { path, store } = await openNew({ checkpointMs: 0, report: (problem) => reports.push(problem) })
  const before = readFileSync(path, 'utf8')
  mkdirSync(`${path}.tmp`) // prevents checkpoints from being written
  for (const insertId of ['a', 'b', 'c']) {
    await recordAll(store, [insertId])
    await vi.waitFor(() => expect(reports).toHaveLength(1), waitOptions)
    await sleep(30)
  }
  expect(reports).toEqual([expect.stringContaining('No change is lost; the log grows until a checkpoint succeeds.')])
  expect(readFileSync(path, 'utf8')).toBe(before)
  rmdirSync(`${path}.tmp`)
  const copy = copyAsKilled(path)
  await vi.waitFor(() => expect(idsIn(path)).toEqual(['a', 'b', 'c']), waitOptions)
  expect(await listInsertIds((await openOrFail(copy)).store)).toEqual(['a', 'b', 'c'])
  await recordAll(store, ['d'])
  await vi.waitFor(() => expect(idsIn(path)).toEqual(['a', 'b', 'c', 'd']), waitOptions)
})
