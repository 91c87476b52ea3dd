import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { context, listInsertIds, recordAll } from '../drafts.ts'
import { openNew, openOrFail, problemOf, statePath } from './open-file.ts'

/** Creates a state file with two events and a snapshot, closes the store, and returns the path of the file. */
async function createClosedState(): Promise<string> {
  const { path, store } = await openNew()
  await recordAll(store, ['a', 'b'])
  await store.createSnapshot(context)
  await store.close()
  return path
}

const edit = (path: string, change: (text: string) => string) => writeFileSync(path, change(readFileSync(path, 'utf8')))

test.each<[string, (text: string) => string]>([
  ['one value changed', (text) => text],
  ['reformatted by an editor', (text) => JSON.stringify(JSON.parse(text), null, 2)],
  ['joined into one line', (text) => JSON.stringify(JSON.parse(text))],
])('a valid file edited by hand (%s) is loaded, with a warning only the first time', async (_, format) => {
  const path = await createClosedState()
  edit(path, (text) => format(text.replaceAll('"insertId":"b"', '"insertId":"by hand"')))
  const { store, loaded } = await openOrFail(path)
  expect(loaded.warnings).toEqual([expect.stringContaining(`checksum of the state file ${path} is missing or wrong`)])
  expect(await listInsertIds(store)).toEqual(['a', 'by hand'])
  expect(await store.listSnapshots('default')).toMatchObject([{ events: 2 }])
  await store.close()
  expect((await openOrFail(path)).loaded).toMatchObject({ events: 2, warnings: [] })
})

test('a file written by hand is loaded', async () => {
  const path = statePath()
  const sandbox = { name: 'mine', quality: { weight: 0.5 }, events: [], prompts: [] }
  writeFileSync(path, JSON.stringify({ kind: 'convsim state', format: 5, sandboxes: [sandbox] }))
  const { store } = await openOrFail(path)
  expect(await store.getQuality('mine')).toEqual({ weight: 0.5 })
})

test.each([
  ['an invalid value', '"impact":1', '"impact":null', /\d, column \d+: \/sandboxes\/0\/events\/0\/impact must be a/],
  ['a duplicate ID', '"insertId":"b"', '"insertId":"a"', /\d, column \d+: \/sandboxes\/0\/events\/1 must not repeat/],
  ['a missing member', '"name":"default",', '', /\d, column \d+: \/sandboxes\/0\/name is required/],
  ['invalid JSON', '"sandboxes":', '"sandboxes"', /is not JSON: line 5, column \d+/],
])('a file with %s is refused with the location of the error, and is not changed', async (_, from, to, problem) => {
  const path = await createClosedState()
  edit(path, (text) => text.replace(from, to))
  const changed = readFileSync(path, 'utf8')
  expect(await problemOf(path)).toMatch(problem)
  expect(await problemOf(path)).toContain('Nothing was changed. Correct the file, or move state.json')
  expect(readFileSync(path, 'utf8')).toBe(changed)
})
