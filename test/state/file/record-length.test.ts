import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/state/memory/memory-store.ts'
import { type SandboxExport, type Store, StoreWriteError } from '../../../src/state/store.ts'
import { context, event, exportSandbox, importDocument, listPrompts, prompt } from '../drafts.ts'
import { copyAsKilled, openNew, openOrFail, statePath } from './open-file.ts'

const maxRecordLength = 6000

const addVersion = (store: Store, externalPromptId: string) =>
  store.addPromptVersion(context, prompt({ externalPromptId, description: 'x'.repeat(1000) }))
const countVersions = async (store: Store) => (await listPrompts(store, 'default'))[0]?.versions.length

/** Adds versions to a prompt until one is refused, and checks the refusal. */
async function fill(store: Store, externalPromptId: string): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    const error = await addVersion(store, externalPromptId).catch((refusal: unknown) => refusal)
    if (!(error instanceof Error)) continue
    expect(error).toBeInstanceOf(StoreWriteError)
    expect(String(error)).toMatch(
      /more than 6000 characters with all its versions; use another externalPromptId.*nothing was changed/,
    )
    return
  }
  throw new Error('no version was refused')
}

/** Returns the export of a sandbox with a number of events. */
async function exportOf(count: number): Promise<SandboxExport> {
  const store = createMemoryStore()
  for (let index = 0; index < count; index += 1) await store.recordEvent(context, event({ insertId: `many-${index}` }))
  return exportSandbox(store, 'default')
}

test('a version that makes its prompt longer than a record can be is refused before it is acknowledged', async () => {
  const path = statePath()
  const reports: string[] = []
  const options = { maxRecordLength, checkpointFrom: 1000, report: (problem: string) => reports.push(problem) }
  const { store } = await openOrFail(path, options)
  await fill(store, 'p')
  const versions = await countVersions(store)
  expect(versions).toBeGreaterThan(2)
  await addVersion(store, 'other')
  await store.createSnapshot(context)
  await fill(store, 'p')
  const fromLog = await openOrFail(copyAsKilled(path), options)
  await fill(fromLog.store, 'p')
  expect(await countVersions(fromLog.store)).toBe(versions)
  await fromLog.store.close()
  await store.close()
  const fromFile = await openOrFail(path, options)
  await fill(fromFile.store, 'p')
  expect(await countVersions(fromFile.store)).toBe(versions)
  await fromFile.store.close()
  expect(reports).toEqual([])
})

test('so is an event or an import whose line of the log would be too long; many short records are not', async () => {
  const { store } = await openNew({ maxRecordLength })
  const large = event({ properties: { text: 'x'.repeat(18_000) } })
  await expect(store.recordEvent(context, large)).rejects.toThrow('more than 18000 bytes')
  for (let count = 0; count < 20; count += 1) await store.recordEvent(context, event({ value: 'x'.repeat(count) }))
  const exported = await exportSandbox(store, 'default')
  expect(await importDocument(store, 'copy', exported)).toMatchObject({ ok: true })
  const [first] = exported.events
  const long = { ...exported, events: [{ ...first, fields: { ...large, eventAt: first?.fields.eventAt } }] }
  await expect(importDocument(store, 'copy', long)).rejects.toThrow('more than 18000 bytes')
  const many = { ...exported, events: [...exported.events, ...(await exportOf(60)).events] }
  await expect(importDocument(store, 'copy', many)).rejects.toThrow('more than 18000 bytes')
  expect(await store.listSandboxes()).toMatchObject([{ events: 20 }, { events: 20 }])
})
