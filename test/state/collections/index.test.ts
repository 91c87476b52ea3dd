import { describe, expect, test, vi } from 'vitest'
import schema from '../../../spec/export.schema.json' with { type: 'json' }
import type { Collection, PlainCollection } from '../../../src/state/collections/collection.ts'
import { collections } from '../../../src/state/collections/index.ts'
import { createMemoryStore } from '../../../src/state/memory/memory-store.ts'
import type { Store } from '../../../src/state/store.ts'
import { context, event, exportSandbox, importDocument } from '../drafts.ts'
import { expectSurvival, openNew } from '../file/open-file.ts'

// Before any other file reads the list.
vi.mock('../../../src/state/collections/index.ts', async (load) => {
  const { plainCollection } = await import('../../../src/state/collections/collection.ts')
  const original = await load<{ collections: Collection[] }>()
  original.collections.push(
    plainCollection({
      name: 'bookmarks',
      keyOf: ({ snapshotId }: { snapshotId: string }) => snapshotId,
    }),
  )
  return original
})

test('the schema of exports lists every collection', () => {
  const shipped = collections.filter(({ name }) => name !== 'bookmarks').map(({ name }) => name)
  const { format, quality, ...lists } = schema.properties
  expect(Object.keys(lists)).toEqual(shipped)
  for (const list of Object.values(lists)) expect(list).toMatchObject({ items: { $ref: expect.any(String) } })
})

describe('a plain collection in the list', () => {
  interface Bookmark {
    readonly snapshotId: string
    readonly createdAt: string
    readonly name?: string
  }

  const bookmarkCollection = collections.find(
    ({ name }) => name === 'bookmarks',
  ) as unknown as PlainCollection<Bookmark> // added above

  const createdAt = '2026-01-15T12:00:00.000Z'
  const put = (store: Store, snapshotId: string, name?: string) =>
    store.updateRecord('default', bookmarkCollection, snapshotId, () => ({
      snapshotId,
      createdAt,
      ...(name !== undefined && { name }),
    }))
  const bookmarks = (store: Store, sandbox = 'default') => store.listRecords(sandbox, bookmarkCollection)

  test('has records that are added, replaced and removed under their key', async () => {
    const store = createMemoryStore()
    expect(await put(store, 'a')).toEqual({ snapshotId: 'a', createdAt })
    await put(store, 'b')
    await store.updateRecord('default', bookmarkCollection, 'a', (present) => present && { ...present, name: 'x' })
    expect(await bookmarks(store)).toEqual([
      { snapshotId: 'a', createdAt, name: 'x' },
      { snapshotId: 'b', createdAt },
    ])
    expect(await store.updateRecord('default', bookmarkCollection, 'a', () => undefined)).toBeUndefined()
    expect(await store.updateRecord('default', bookmarkCollection, 'c', (present) => present)).toBeUndefined()
    expect(await bookmarks(store)).toEqual([{ snapshotId: 'b', createdAt }])
    expect(await store.size()).toMatchObject({ sandboxes: 1, events: 0, prompts: 0, bookmarks: 1 })
    const wrong = store.updateRecord('default', bookmarkCollection, 'd', () => ({ snapshotId: 'e', createdAt }))
    await expect(wrong).rejects.toThrow('the record of d has another key')
  })

  test('is in the log, the state file, an export, an import and a snapshot', async () => {
    const { path, store } = await openNew()
    await store.recordEvent(context, event())
    await put(store, 'a', 'first')
    await put(store, 'b')
    await store.updateRecord('default', bookmarkCollection, 'b', () => undefined)
    const { snapshotId } = await store.createSnapshot(context)
    await put(store, 'c')
    const before = await exportSandbox(store, 'default')
    expect(before).toMatchObject({ bookmarks: [{ snapshotId: 'a' }, { snapshotId: 'c' }] })

    const fromFile = await expectSurvival(path, store)
    expect(await fromFile.listSnapshots('default')).toMatchObject([{ events: 1, prompts: 0, bookmarks: 1 }])
    expect(await importDocument(fromFile, 'copy', JSON.parse(JSON.stringify(before)))).toMatchObject({
      ok: true,
      value: { events: 1, prompts: 0, bookmarks: 2 },
    })
    expect(await bookmarks(fromFile, 'copy')).toEqual(await bookmarks(fromFile))
    await fromFile.restoreSnapshot('default', snapshotId)
    expect(await bookmarks(fromFile)).toEqual([{ snapshotId: 'a', createdAt, name: 'first' }])
    await fromFile.reset('default')
    expect(await bookmarks(fromFile)).toEqual([])
  })

  test('is empty after an import that is older than the collection', async () => {
    const store = createMemoryStore()
    await put(store, 'a')
    const older = { format: 1, quality: { weight: 0.1 }, events: [], prompts: [] }
    expect(await importDocument(store, 'default', older)).toMatchObject({ ok: true })
    expect(await bookmarks(store)).toEqual([])
  })

  test('has unique keys', async () => {
    const record = { snapshotId: 'a', createdAt }
    const twice = { format: 1, quality: { weight: 0.1 }, events: [], prompts: [], bookmarks: [record, record] }
    expect(await importDocument(createMemoryStore(), 'default', twice)).toEqual({
      ok: false,
      error: ['/bookmarks/1 must not repeat the key a of an earlier record'],
    })
  })
})
