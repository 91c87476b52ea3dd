import { expect, test } from 'vitest'
import type { Store } from '../../../src/state/store.ts'
import { context, event, exportSandbox, prompt } from '../drafts.ts'
import { openNew, openOrFail } from './open-file.ts'

async function recordEvents(store: Store, from: number, count: number): Promise<void> {
  for (let index = from; index < from + count; index += 1)
    await store.recordEvent(context, event({ insertId: `e${index}` }))
}

test('after a restart each snapshot has the records of its moment', async () => {
  const { path, store } = await openNew()
  await recordEvents(store, 0, 3)
  const first = await store.addPromptVersion(context, prompt({ externalPromptId: 'p' }))
  const early = await store.createSnapshot(context)
  await recordEvents(store, 1, 1)
  await store.addPromptVersion(context, prompt({ externalPromptId: 'p' }))
  await store.activateVersion('default', first.promptId, first.version.versionId)
  await recordEvents(store, 3, 300)
  const late = await store.createSnapshot(context)
  const before = await exportSandbox(store, 'default')
  await store.reset('default')
  await store.close()

  const { store: again } = await openOrFail(path)
  expect(await again.listSnapshots('default')).toEqual([early, late])
  await again.restoreSnapshot('default', early.snapshotId)
  const { events, prompts } = await exportSandbox(again, 'default')
  expect(events.map(({ replays }) => replays)).toEqual([0, 0, 0])
  expect(prompts.map(({ versions }) => versions.map(({ active }) => active))).toEqual([[first.version.active]])
  await again.restoreSnapshot('default', late.snapshotId)
  expect(await exportSandbox(again, 'default')).toEqual(before)
})
