import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import type { EventDraft } from '../../../src/state/records.ts'
import type { Store } from '../../../src/state/store.ts'
import { context, event, prompt } from '../drafts.ts'
import { copyAsKilled, limitDisk, listIds, openOrFail, recordAll, statePath } from './open-file.ts'

describe('an acknowledged change', () => {
  test('is loaded after a kill, and after a graceful stop', async () => {
    const path = statePath()
    const first = await openOrFail(path)
    await recordAll(first.store, ['a', 'ü 😀'])
    await first.store.addPromptVersion(context, prompt({ externalPromptId: 'p' }))
    await first.store.createSnapshot(context)
    const before = await first.store.exportSandbox('default')
    expect(await first.store.importSandbox('copy', JSON.parse(JSON.stringify(before)))).toMatchObject({ ok: true })

    const copy = copyAsKilled(path)
    const second = await openOrFail(copy)
    expect(second.loaded).toMatchObject({ sandboxes: 2, events: 4, prompts: 2, journalEntries: 5 })
    expect(await second.store.exportSandbox('default')).toEqual(before)
    expect(await second.store.exportSandbox('copy')).toEqual(before)
    await second.store.close()
    expect(readdirSync(dirname(copy))).toEqual(['state.json'])

    const third = await openOrFail(copy)
    expect(third.loaded).toMatchObject({ sandboxes: 2, events: 4, prompts: 2, journalEntries: 0 })
    expect(await third.store.exportSandbox('default')).toEqual(before)
    expect(await third.store.exportSandbox('copy')).toEqual(before)
    expect(await third.store.listSnapshots('default')).toHaveLength(1)
    expect((await third.store.recordEvent(context, event({ insertId: 'a' }))).replayed).toBe(true)
    await third.store.close()
  })

  test('is in the log before its promise resolves, with all others of its turn by one write', async () => {
    const path = statePath()
    const disk = limitDisk()
    const { store } = await openOrFail(path)
    const { writes } = disk
    const ids = Array.from({ length: 100 }, (_, index) => `e${index}`)
    await recordAll(store, ids)
    expect(disk.writes).toBe(writes + 1)
    const log = readFileSync(`${path}.journal`, 'utf8')
    expect(ids.filter((id) => !log.includes(`"insertId":"${id}"`))).toEqual([])
    await recordAll(store, ['later'])
    expect(disk.writes).toBe(writes + 2)
    await store.close()
  })

  test('survives a last line that was cut off, which a warning counts, unless only its line break is', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    await recordAll(store, ['a', 'b'])
    const intact = readFileSync(`${path}.journal`, 'utf8')
    await recordAll(store, ['cut off'])
    const lastLine = readFileSync(`${path}.journal`, 'utf8').slice(intact.length)
    const warning = (copy: string, torn: string) =>
      `${copy}.journal, line 4: the last entry (3) is cut off after ${torn.length} bytes, as by a crash while it was ` +
      'written. These bytes are taken off; all entries before are loaded.'
    const ends = ['{', lastLine.slice(0, 12), lastLine.slice(0, 100), lastLine.slice(0, -2)].map((end) => intact + end)
    for (const end of [...ends, intact.slice(0, -1)]) {
      const copy = copyAsKilled(path)
      writeFileSync(`${copy}.journal`, end)
      const again = await openOrFail(copy)
      expect(again.loaded.warnings).toEqual(end.length < intact.length ? [] : [warning(copy, end.slice(intact.length))])
      expect(await listIds(again.store)).toEqual(['a', 'b'])
      await recordAll(again.store, ['c'])
      expect(await listIds((await openOrFail(copyAsKilled(copy))).store)).toEqual(['a', 'b', 'c'])
    }
  })

  test('is not applied twice if the process died between a checkpoint and dropping the log', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    await store.recordEvent(context, event())
    for (let count = 0; count < 2; count += 1) await recordAll(store, ['a'])
    const log = readFileSync(`${path}.journal`)
    const before = await store.exportSandbox('default')
    await store.close()
    writeFileSync(`${path}.journal`, log)
    const again = await openOrFail(path)
    expect(again.loaded.journalEntries).toBe(0)
    expect(await again.store.exportSandbox('default')).toEqual(before)
  })

  test('is loaded if the process died while a checkpoint was written', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    await recordAll(store, ['a', 'b'])
    const copy = copyAsKilled(path)
    writeFileSync(`${copy}.tmp`, '{"crc": "convsim st')
    const again = await openOrFail(copy)
    expect(await listIds(again.store)).toEqual(['a', 'b'])
    await again.store.close()
    expect(readdirSync(dirname(copy))).toEqual(['state.json'])
  })
})

test('writes go on while a checkpoint is written', async () => {
  const path = statePath()
  const { store } = await openOrFail(path, { checkpointFrom: 4_000_000 })
  const inode = () => statSync(path).ino
  const before = inode()
  const ids = Array.from({ length: 10_000 }, (_, index) => `e${index}`)
  await recordAll(store, ids) // 4 MB in one turn begin a checkpoint of about sixty slices
  let meanwhile = 0
  for (; inode() === before; meanwhile += 1) {
    await recordAll(store, [`meanwhile ${meanwhile}`])
    await setImmediate() // as between two requests
  }
  expect(meanwhile).toBeGreaterThan(50)
  const killed = await openOrFail(copyAsKilled(path))
  expect(killed.loaded).toMatchObject({ events: ids.length + meanwhile })
  await Promise.all([store.close(), killed.store.close()])
  const again = await openOrFail(path)
  expect(again.loaded).toMatchObject({ events: ids.length + meanwhile, journalEntries: 0 })
  await again.store.close()
})

test('a record that only an edited contract allows is loaded again, and found by a retry', async () => {
  const events: JsonObject[] = [
    { insertId: null },
    { insertId: null },
    { insertId: 7 },
    { insertId: 7 },
    { insertId: { a: 1, b: 2 } },
    { insertId: { b: 2, a: 1 } },
    { valueType: 'duration', influence: 'mixed', sampleRate: 'half' },
  ]
  const prompts: JsonObject[] = [
    { name: 'No parts' },
    { externalPromptId: null, components: [{ content: 'a' }] },
    { externalPromptId: null, components: [{ content: 'a' }] },
    { externalPromptId: { a: 1 }, components: [] },
    { externalPromptId: { a: 2 }, components: [] },
  ]
  const path = statePath()
  const { store } = await openOrFail(path)
  for (const body of events) await store.recordEvent(context, { ...event(), ...body } as EventDraft)
  for (const body of prompts) await store.addPromptVersion(context, body)
  const before = await store.exportSandbox('default')
  expect(before.events.map(({ replays }) => replays)).toEqual([0, 0, 1, 1, 0])
  expect(before.prompts.map(({ versions }) => versions.length)).toEqual([1, 1, 1, 1, 1])
  expect(await (await openOrFail(copyAsKilled(path))).store.exportSandbox('default')).toEqual(before)
  await store.close()
  const fromFile = await openOrFail(path)
  expect(await fromFile.store.exportSandbox('default')).toEqual(before)
  const named = { ...event(), insertId: { b: 2, a: 1 } } as unknown as EventDraft
  expect((await fromFile.store.recordEvent(context, named)).replayed).toBe(true)
})

test('texts of any kind and size are unchanged after a restart', async () => {
  const texts = ['', 'größe', '会話', '\ud800', '\u2028\n\r\t"\\', '__proto__', 'x'.repeat(200_000)]
  const path = statePath()
  const { store } = await openOrFail(path)
  for (const value of texts) await store.recordEvent(context, event({ value, properties: { [value]: [value] } }))
  const before = await store.exportSandbox('default')
  await store.close()
  expect(await (await openOrFail(path)).store.exportSandbox('default')).toEqual(before)
})

describe('the state file', () => {
  const recordMany = (store: Store, from: number, count: number) =>
    recordAll(
      store,
      Array.from({ length: count }, (_, index) => `e${from + index}`),
    )
  const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')
  const countLines = (path: string, op: string) => linesOf(path).filter((line) => line.includes(`"op":"${op}"`)).length

  test('is JSON, with one record per line and no token', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    await recordMany(store, 0, 3)
    await store.consumeRate(context, 'token sk-secret', 5, 1000)
    await store.close()
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ kind: 'convsim state', seq: 3 })
    expect(countLines(path, 'event')).toBe(3)
    expect(readFileSync(path, 'utf8')).not.toContain('secret')
  })

  test('has the records that snapshots share once, again after a restart', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    const first = await store.addPromptVersion(context, prompt({ externalPromptId: 'p' }))
    for (let index = 0; index < 80; index += 1) {
      await store.createSnapshot(context)
      await recordMany(store, index * 5, 5)
      if (index % 20 === 0) await recordMany(store, 0, 1) // a replay
    }
    await store.addPromptVersion(context, prompt({ externalPromptId: 'p' }))
    await store.activateVersion('default', first.promptId, first.version.versionId)
    const before = await store.exportSandbox('default')
    const { promptId, version } = first
    expect(before).toMatchObject({ prompts: [{ promptId, versions: [{ ...version, active: true }, {}] }] })
    const expectSame = async (opened: Store) => {
      expect(await opened.exportSandbox('default')).toEqual(before)
      const snapshots = await opened.listSnapshots('default')
      expect(snapshots.map(({ events }) => events)).toEqual(snapshots.map((_, index) => index * 5))
      await opened.restoreSnapshot('default', snapshots[30]?.snapshotId ?? '')
      const restored = await opened.exportSandbox('default')
      expect(restored.events.map(({ replays }) => replays).slice(0, 2)).toEqual([2, 0])
      expect(restored.prompts.map(({ versions }) => versions.length)).toEqual([1])
    }
    await expectSame((await openOrFail(copyAsKilled(path))).store)
    await store.close()
    await expectSame((await openOrFail(copyAsKilled(path))).store)
    const again = await openOrFail(path)
    await again.store.recordEvent(context, event({ insertId: 'later' }))
    await again.store.close()
    expect([countLines(path, 'event'), countLines(path, 'version')]).toEqual([401, 3])
  })

  test('has the snapshots that a reset, a restoring and a deletion leave', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    const snapshots: string[] = []
    for (let index = 0; index < 3; index += 1) {
      await recordMany(store, index * 100, 100)
      snapshots.push((await store.createSnapshot(context)).snapshotId)
    }
    const full = await store.exportSandbox('default')
    await store.restoreSnapshot('default', snapshots[0] ?? '')
    const { snapshotId } = await store.createSnapshot(context)
    await store.deleteSnapshot('default', snapshots[1] ?? '')
    await store.reset('default')
    await recordMany(store, 0, 2)
    const listed = await store.listSnapshots('default')
    await store.close()
    const { store: again } = await openOrFail(path)
    expect(await again.listSnapshots('default')).toEqual(listed)
    expect(await listIds(again)).toEqual(['e0', 'e1'])
    expect(await again.restoreSnapshot('default', snapshotId)).toBe(true)
    expect((await again.listEvents('default')).total).toBe(100)
    expect(await again.restoreSnapshot('default', snapshots[2] ?? '')).toBe(true)
    expect(await again.exportSandbox('default')).toEqual(full)
    const next = await again.createSnapshot(context)
    expect([...snapshots, snapshotId]).not.toContain(next.snapshotId)
    await again.close()
  })
})
