import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import type { Store } from '../../../src/state/store.ts'
import { context, event } from '../drafts.ts'
import { copyAsKilled, openOrFail, statePath } from './open-file.ts'

const record = (store: Store, insertId: string) => store.recordEvent(context, event({ insertId }))

/** Opens a file, closes it again without a write, and returns the warnings. */
async function warningsOf(path: string): Promise<readonly string[]> {
  const { store, loaded } = await openOrFail(path)
  await store.close()
  return loaded.warnings
}

/** Returns a state file with two entries, and beside it the log with a third entry, as a killed process leaves them. */
async function killedState(): Promise<string> {
  const path = statePath()
  const first = await openOrFail(path)
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
  rmSync(`${path}.journal.1`)
  const copy = copyAsKilled(path)
  expect(await warningsOf(copy)).toEqual([
    expect.stringMatching(/journal\.1 is missing: all changes that were acknowledged after entry 2 are lost/),
  ])
  expect(await warningsOf(copy)).toEqual([])
})

test('a log that is there, or that a stop has dropped, is not told', async () => {
  const path = await killedState()
  expect(await warningsOf(path)).toEqual([])
  expect(await warningsOf(path)).toEqual([])
  const { store, loaded } = await openOrFail(path)
  expect(loaded).toMatchObject({ events: 3, journalEntries: 0 })
  expect(await warningsOf(copyAsKilled(path))).toEqual([])
  await store.close()
})

test('a log that was begun after a checkpoint is told, too, if it was deleted', async () => {
  const path = statePath()
  const { store } = await openOrFail(path, { checkpointFrom: 1 })
  await record(store, 'a')
  await vi.waitUntil(() => !existsSync(`${path}.journal.1`))
  expect(await warningsOf(copyAsKilled(path))).toEqual([])
  await record(store, 'b')
  const copy = copyAsKilled(path)
  expect(await warningsOf(copyAsKilled(copy))).toEqual([])
  rmSync(`${copy}.journal.2`)
  expect(await warningsOf(copy)).toEqual([expect.stringContaining('acknowledged after entry 1 are lost')])
  await store.close()
})

test('the newest of two log files is told if it was deleted alone', async () => {
  const path = statePath()
  const reports: string[] = []
  const { store } = await openOrFail(path, { checkpointFrom: 1, report: (problem) => reports.push(problem) })
  mkdirSync(`${path}.tmp`)
  await record(store, 'a')
  await vi.waitUntil(() => reports.length === 1)
  await record(store, 'b')
  rmdirSync(`${path}.tmp`)
  const copy = copyAsKilled(path)
  rmSync(`${copy}.journal.2`)
  const again = copyAsKilled(copy)
  const opened = await openOrFail(again)
  expect(opened.loaded).toMatchObject({ journalEntries: 1 })
  expect(opened.loaded.warnings).toEqual([expect.stringContaining('journal.2 is missing')])
  expect(await warningsOf(copyAsKilled(again))).toEqual([])
  await opened.store.close()
  await store.close()
})

/** Returns the text of a state file as the version before marks wrote it. */
function withoutMark(text: string): string {
  const body = text.replace(/ {2}"log": .*\n/, '').replace(/ {2}"checksum".*\n\}\n$/, '')
  return `${body}  "checksum": "${crc32(body).toString(16).padStart(8, '0')}"\n}\n`
}

test('a file of a version without marks loads with and without its log, and gets a mark at its next checkpoint', async () => {
  const path = await killedState()
  const old = withoutMark(readFileSync(path, 'utf8'))
  writeFileSync(path, old)
  const withLog = copyAsKilled(path)
  rmSync(`${path}.journal.1`)
  expect(await warningsOf(path)).toEqual([])
  expect(readFileSync(path, 'utf8')).toBe(old)
  const opened = await openOrFail(withLog)
  expect(opened.loaded).toMatchObject({ events: 3, journalEntries: 1, warnings: [] })
  await record(opened.store, 'd')
  expect((await openOrFail(copyAsKilled(withLog))).loaded).toMatchObject({ events: 4, warnings: [] })
  await opened.store.close()
  expect(readFileSync(withLog, 'utf8')).toMatch(/^ {2}"log": "00000000-\w{8}",$/m)
})
