import { appendFileSync, copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { createMemoryStore } from '../../../src/state/memory/memory-store.ts'
import type { Store } from '../../../src/state/store.ts'
import { context, event } from '../drafts.ts'
import { openOrFail, statePath } from './open-file.ts'

/**
 * Files of format 1, written by the version at commit 50bee98: a state file, a log with every operation, an export, and what
 * that version answered about them. They are never written again. Later versions may add members, such as new collections.
 */
const written = (name: string) => new URL(`format-1/${name}`, import.meta.url).pathname

interface Expected {
  readonly summary: Json
  readonly sandboxes: Readonly<Record<string, { readonly export: Json; readonly snapshots: Json }>>
}

const expected: Expected = JSON.parse(readFileSync(written('answers.golden.json'), 'utf8'))

function copyOfFiles(): string {
  const path = statePath()
  copyFileSync(written('state.golden.json'), path)
  copyFileSync(written('journal.golden.jsonl'), `${path}.journal.1`)
  return path
}

async function answersOf(store: Store): Promise<Expected> {
  const names = Object.keys(expected.sandboxes)
  const sandboxes = names.map(async (name) => [
    name,
    { export: await store.exportSandbox(name), snapshots: await store.listSnapshots(name) },
  ])
  const answers = {
    summary: await store.listSandboxes(),
    sandboxes: Object.fromEntries(await Promise.all(sandboxes)),
  }
  return JSON.parse(JSON.stringify(answers))
}

describe('files of format 1', () => {
  test('load with all records, from the log and again from the next state file', async () => {
    const path = copyOfFiles()
    const fromLog = await openOrFail(path)
    expect(fromLog.loaded).toMatchObject({ sandboxes: 5, journalEntries: 17 })
    expect(await answersOf(fromLog.store)).toMatchObject(expected)
    await fromLog.store.close()
    const fromFile = await openOrFail(path)
    expect(fromFile.loaded).toMatchObject({ sandboxes: 5, journalEntries: 0 })
    expect(await answersOf(fromFile.store)).toMatchObject(expected)
    await fromFile.store.close()
  })

  test('are written in the current format at once, also if the process dies before it drops their log', async () => {
    const path = copyOfFiles()
    const first = await openOrFail(path)
    expect(readdirSync(dirname(path)).sort()).toEqual(['state.json', 'state.json.lock'])
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ format: 2, seq: 159 })
    await first.store.close()
    copyFileSync(written('journal.golden.jsonl'), `${path}.journal.1`)
    const again = await openOrFail(path)
    expect(again.loaded).toMatchObject({ sandboxes: 5, journalEntries: 0 })
    expect(await answersOf(again.store)).toMatchObject(expected)
    await again.store.close()
    expect(readdirSync(dirname(path))).toEqual(['state.json'])
  })

  test('lose the entry that a crash cut off, with a warning', async () => {
    const path = copyOfFiles()
    appendFileSync(`${path}.journal.1`, '{"seq":160,"op":"ev')
    const { loaded, store } = await openOrFail(path)
    expect(loaded).toMatchObject({ journalEntries: 17 })
    expect(loaded.warnings).toEqual([
      expect.stringContaining('the last entry (160) is cut off after 19 bytes'),
    ])
    await store.close()
  })

  test('hold snapshots that can be restored', async () => {
    const { store } = await openOrFail(copyOfFiles())
    const [seeded] = await store.listSnapshots('default')
    expect(await store.restoreSnapshot('default', seeded?.snapshotId ?? '')).toBe(true)
    const { quality, events, prompts } = await store.exportSandbox('default')
    expect(quality).toEqual({ weight: 0.6 })
    expect(events.map(({ replays }) => replays)).toEqual([1, 0, 0, 0, 0])
    expect(prompts.map(({ versions }) => versions.map(({ active }) => active))).toEqual([
      [false, true],
      [false],
      [false],
    ])
    await store.close()
  })

  test('keep their ids, which say version 8: a retry of an event gets its stored id, and new records get ids of version 4', async () => {
    const { store } = await openOrFail(copyOfFiles())
    const { events } = await store.exportSandbox('default')
    const stored = events.find(({ fields }) => fields.insertId === 'order-1')
    const retry = await store.recordEvent(context, event({ insertId: 'order-1' }))
    expect(retry).toMatchObject({ replayed: true, event: { eventId: stored?.eventId } })
    expect(retry.event.eventId[14]).toBe('8')
    const created = await store.recordEvent(context, event({ insertId: 'order-new' }))
    expect(created.event.eventId[14]).toBe('4')
    await store.close()
  })

  test('hold an export that is imported and exported again unchanged', async () => {
    const store = createMemoryStore()
    const document: JsonObject = JSON.parse(readFileSync(written('export.golden.json'), 'utf8'))
    expect(await store.importSandbox('default', document)).toMatchObject({ ok: true })
    expect(JSON.parse(JSON.stringify(await store.exportSandbox('default')))).toMatchObject(document)
  })
})
