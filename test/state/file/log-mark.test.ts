import { readFileSync, rmSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import type { Store } from '../../../src/state/store.ts'
import { context, event } from '../drafts.ts'
import { copyAsKilled, openNew, openOrFail } from './open-file.ts'

const record = (store: Store, insertId: string) => store.recordEvent(context, event({ insertId }))

/** Opens a file, closes it again without a write, and returns the warnings. */
async function warningsOf(path: string): Promise<readonly string[]> {
  const { store, loaded } = await openOrFail(path)
  await store.close()
  return loaded.warnings
}

/** Returns a state file with two entries, and beside it the log with a third entry, as a killed process leaves them. */
async function killedState(): Promise<string> {
  const { path, ...first } = await openNew()
  for (const insertId of ['a', 'b']) await record(first.store, insertId)
  await first.store.close()
  const second = await openOrFail(path)
  await record(second.store, 'c')
  const copy = copyAsKilled(path)
  await second.store.close()
  return copy
}

test('a log that was deleted after a kill, with its lock file, is told at the next start, and once', async () => {
  const path = await killedState()
  rmSync(`${path}.journal`)
  const copy = copyAsKilled(path)
  expect(await warningsOf(copy)).toEqual([
    expect.stringMatching(/journal is missing: all changes that were acknowledged after entry 2 are lost/),
  ])
  expect(await warningsOf(copy)).toEqual([])
})

test('a log that is there, or that a stop has dropped, is not told', async () => {
  const path = await killedState()
  expect(await warningsOf(path)).toEqual([])
  expect(await warningsOf(path)).toEqual([])
  const { loaded } = await openOrFail(path)
  expect(loaded).toMatchObject({ events: 3, journalEntries: 0 })
  expect(await warningsOf(copyAsKilled(path))).toEqual([])
})

test('a log that was begun after a checkpoint is told, too, if it was deleted', async () => {
  const { path, store } = await openNew({ checkpointFrom: 1 })
  await record(store, 'a')
  await vi.waitUntil(() => !readFileSync(`${path}.journal`, 'utf8').includes('"event"'), 30_000)
  expect(await warningsOf(copyAsKilled(path))).toEqual([])
  const copy = copyAsKilled(path)
  rmSync(`${copy}.journal`)
  expect(await warningsOf(copy)).toEqual([expect.stringContaining('acknowledged after entry 1 are lost')])
})
