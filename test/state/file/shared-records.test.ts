import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Store } from '../../../src/state/store.ts'
import { context, event, prompt } from '../drafts.ts'
import { openNew, openOrFail } from './open-file.ts'

const EVENTS = 300
const SNAPSHOTS = 80

/** Returns the lines of a state file that are records, and those that refer to records. */
function linesOf(path: string) {
  const lines = readFileSync(path, 'utf8').split('\n')
  return {
    records: lines.filter((line) => line.startsWith('        {')),
    references: lines.filter((line) => line.startsWith('        "')),
  }
}

async function recordEvents(store: Store, from: number, count: number): Promise<void> {
  for (let index = from; index < from + count; index += 1)
    await store.recordEvent(context, event({ insertId: `e${index}` }))
}

test('records that snapshots share are written once, again after a restart', async () => {
  const { path, store } = await openNew()
  await store.addPromptVersion(context, prompt({ externalPromptId: 'p' }))
  for (let index = 0; index < SNAPSHOTS; index += 1) {
    await store.createSnapshot(context)
    await recordEvents(store, index * 5, 5)
  }
  const before = await store.exportSandbox('default')
  await store.close()
  expect(linesOf(path).records).toHaveLength(SNAPSHOTS * 5 + 1)

  const { store: again } = await openOrFail(path)
  expect(await again.exportSandbox('default')).toEqual(before)
  const snapshots = await again.listSnapshots('default')
  expect(snapshots.map(({ events }) => events)).toEqual(snapshots.map((_, index) => index * 5))
  await recordEvents(again, 1000, 1)
  await again.close()
  expect(linesOf(path).records).toHaveLength(SNAPSHOTS * 5 + 2)
})

test('a changed record is written again, and each snapshot keeps its own', async () => {
  const { path, store } = await openNew()
  await recordEvents(store, 0, 3)
  const first = await store.addPromptVersion(context, prompt({ externalPromptId: 'p' }))
  const { snapshotId } = await store.createSnapshot(context)
  await recordEvents(store, 1, 1)
  await store.addPromptVersion(context, prompt({ externalPromptId: 'p' }))
  await store.activateVersion('default', first.promptId, first.version.versionId)
  const after = await store.exportSandbox('default')
  await store.close()
  const { records, references } = linesOf(path)
  expect(records).toHaveLength(3 + 1 + 1 + 1)
  expect(references.map((line) => line.trim())).toEqual(['"0+1",', '"2+1"],'])

  const { store: again } = await openOrFail(path)
  expect(await again.exportSandbox('default')).toEqual(after)
  await again.restoreSnapshot('default', snapshotId)
  const { events, prompts } = await again.exportSandbox('default')
  expect(events.map(({ replays }) => replays)).toEqual([0, 0, 0])
  expect(prompts.map(({ versions }) => versions.map(({ active }) => active))).toEqual([[first.version.active]])
})

test('a snapshot outlives a reset of its sandbox in the file', async () => {
  const { path, store } = await openNew()
  await recordEvents(store, 0, EVENTS)
  const { snapshotId } = await store.createSnapshot(context)
  const before = await store.exportSandbox('default')
  await store.reset('default')
  await recordEvents(store, 0, 2)
  await store.close()
  expect(linesOf(path).records).toHaveLength(EVENTS) // the two new ones are equal to the first two
  const { store: again } = await openOrFail(path)
  await again.restoreSnapshot('default', snapshotId)
  expect(await again.exportSandbox('default')).toEqual(before)
})
