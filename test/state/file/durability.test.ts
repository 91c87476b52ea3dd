import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/core/json.ts'
import type { EventDraft, PromptDraft } from '../../../src/state/records.ts'
import { context, event, exportSandbox, listInsertIds, recordAll } from '../drafts.ts'
import { copyAsKilled, expectSame, openNew, openOrFail, problemOf, sealLog, smallDisk, statePath } from './open-file.ts'

describe('an acknowledged change', () => {
  test('survives a missing line break after its entry or a truncated later entry, which causes a warning', async () => {
    const { path, store } = await openNew()
    await recordAll(store, ['a', 'b'])
    const intact = readFileSync(`${path}.journal`, 'utf8')
    await recordAll(store, ['cut off'])
    const lastLine = readFileSync(`${path}.journal`, 'utf8').slice(intact.length)
    const beginnings = ['{', ...[12, 100, -2].map((end) => lastLine.slice(0, end))]
    for (const log of [intact.slice(0, -1), ...beginnings.map((beginning) => intact + beginning)]) {
      const copy = copyAsKilled(path)
      writeFileSync(`${copy}.journal`, log)
      const reopened = await openOrFail(copy)
      const warning =
        `Line 3 of the log ${copy}.journal, the last entry, is truncated after byte ${log.length - intact.length}, ` +
        'probably by a crash. All earlier entries were loaded.'
      expect(reopened.loaded.warnings).toEqual(log.length < intact.length ? [] : [warning])
      expect(await listInsertIds(reopened.store)).toEqual(['a', 'b'])
      expect(readFileSync(`${copy}.journal`, 'utf8')).toBe('')
      await recordAll(reopened.store, ['c'])
      expect(await listInsertIds((await openOrFail(copyAsKilled(copy))).store)).toEqual(['a', 'b', 'c'])
    }
  })

  test('is not applied twice if the process dies after a checkpoint but before the log is emptied', async () => {
    const { path, store } = await openNew()
    await store.recordEvent(context, event())
    await store.recordEvent(context, event({ insertId: 'a' }))
    await store.recordEvent(context, event({ insertId: 'a' }))
    const log = readFileSync(`${path}.journal`)
    const before = await exportSandbox(store, 'default')
    await store.close()
    writeFileSync(`${path}.journal`, log)

    const reopened = await openOrFail(path)
    expect(reopened.loaded.logEntries).toBe(0)
    expect(await exportSandbox(reopened.store, 'default')).toEqual(before)
    await reopened.store.recordEvent(context, event({ insertId: 'b' }))
    await reopened.store.close()
    expect((await openOrFail(path)).loaded.events).toBe(3)
  })

  test('is loaded even if the process died while writing a checkpoint', async () => {
    const { path, store } = await openNew()
    await recordAll(store, ['a', 'b'])
    const copy = copyAsKilled(path)
    writeFileSync(`${copy}.tmp`, '{"kind": "convsim st')
    const reopened = await openOrFail(copy)
    expect(await listInsertIds(reopened.store)).toEqual(['a', 'b'])
    await reopened.store.close()
    expect(readdirSync(dirname(copy))).toEqual(['state.json'])
  })
})

test('writes continue while a checkpoint is being written', async () => {
  const { path, store } = await openNew({ checkpointMs: 0 })
  const inode = () => statSync(path).ino
  const before = inode()
  const ids = Array.from({ length: 10_000 }, (_, index) => `e${index}`)
  await recordAll(store, ids) // about 4 MB, which the checkpoint writes in about sixty chunks
  let writes = 0
  for (; inode() === before; writes += 1) {
    await store.recordEvent(context, event({ insertId: `meanwhile ${writes}` }))
    await setImmediate() // lets the checkpoint continue
  }
  expect(writes).toBeGreaterThan(50)
  await store.close()
  const reopened = await openOrFail(path)
  expect(reopened.loaded).toMatchObject({ events: ids.length + writes, logEntries: 0 })
})

/** Event fields that only an edited contract allows. */
const oddEvents: JsonObject[] = [
  { insertId: null },
  { insertId: null },
  { insertId: 7 },
  { insertId: 7 },
  { insertId: { a: 1, b: 2 } },
  { insertId: { b: 2, a: 1 } },
  { valueType: 'duration', influence: 'mixed', sampleRate: 'half' },
]
const oddPrompts: JsonObject[] = [
  { name: 'No parts' },
  { externalPromptId: null, components: [{ content: 'a' }] },
  { externalPromptId: null, components: [{ content: 'a' }] },
  { externalPromptId: { a: 1 }, components: [] },
  { externalPromptId: { a: 2 }, components: [] },
  { name: 'A number of parts', components: 5 },
  { name: 'Odd parts', components: [null, 5, { content: '{{a}}' }] },
]

test('records allowed only by an edited contract are stored and reloaded, and a retry is recognized', async () => {
  const { path, store } = await openNew()
  for (const body of oddEvents) await store.recordEvent(context, { ...event(), ...body } as EventDraft)
  for (const body of oddPrompts) await store.addPromptVersion(context, body as PromptDraft)
  const { events: stored, prompts: storedPrompts } = await exportSandbox(store, 'default')
  expect(storedPrompts.at(-1)?.versions).toMatchObject([{ variables: ['a'], componentIds: { length: 3 } }])
  expect(stored.map(({ replays }) => replays)).toEqual([0, 0, 1, 1, 0])
  expect(storedPrompts.map(({ versions }) => versions.length)).toEqual([1, 1, 1, 1, 1, 1, 1])
  const reopened = await expectSame(path, store)
  const retry = { ...event(), insertId: { b: 2, a: 1 } } as unknown as EventDraft
  expect((await reopened.recordEvent(context, retry)).replayed).toBe(true)
})

describe('a failed write', () => {
  test('is not visible to reads in the same turn of the event loop, and a later write is visible at once', async () => {
    const disk = smallDisk()
    const { store } = await openNew({ write: disk.write })
    disk.free = 100
    const refused = recordAll(store, ['a', 'b']).catch(String)
    const seen = [listInsertIds(store), listInsertIds(store.fork()), store.size()]
    expect(await refused).toContain('no space left on device')
    expect(await Promise.all(seen)).toMatchObject([[], [], { sandboxes: 0, events: 0 }])
    disk.free = Number.POSITIVE_INFINITY
    const stored = recordAll(store, ['a'])
    expect(await listInsertIds(store)).toEqual(['a'])
    await stored
  })

  test('of a checkpoint is reported, and the log is kept', async () => {
    const problems: string[] = []
    const { path, store } = await openNew({ report: (problem) => problems.push(problem) })
    await recordAll(store, ['a', 'b'])
    renameSync(path, `${path}.aside`)
    mkdirSync(`${path}/in-the-way`, { recursive: true })
    await store.close()
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain('checkpoint of the state could not be written')
    rmSync(path, { recursive: true })
    renameSync(`${path}.aside`, path)
    const reopened = await openOrFail(path)
    expect(await listInsertIds(reopened.store)).toEqual(['a', 'b'])
  })
})

test('an empty state file next to a log is refused and not changed', async () => {
  const { path: original, store } = await openNew()
  await recordAll(store, ['a'])
  const path = copyAsKilled(original)
  writeFileSync(path, '')
  expect(await problemOf(path)).toContain(`The state file ${path} is empty. Nothing was changed`)
  expect(readFileSync(path, 'utf8')).toBe('')
})

describe('a file that cannot be loaded stays unchanged:', () => {
  const good = '{"kind":"convsim state","format":5,"seq":0,"sandboxes":[]}'
  const olderFormat = 'has format 4, but this version reads format 5; use the older version that wrote it'

  test.each([
    ['from another program', '{"name":"package"}', 'is not a convsim state file: it does not contain "kind"'],
    ['in an older format', good.replace('5', '4'), olderFormat],
    ['in a newer format', good.replace('5', '9'), 'has format 9, but this version reads format 5; use a newer version'],
  ])('a state file %s', async (_, content, message) => {
    const path = statePath()
    writeFileSync(path, content)
    const problem = await problemOf(path)
    expect(problem).toContain(`The state file ${path} `)
    expect(problem).toContain(message)
    expect(problem).toContain('move state.json and state.json.journal* away together')
    expect(readFileSync(path, 'utf8')).toBe(content)
    expect(readdirSync(dirname(path))).toEqual(['state.json'])
  })

  test('a log with an entry for an unknown operation', async () => {
    const { path: original, store } = await openNew()
    await recordAll(store, ['a'])
    const path = copyAsKilled(original)
    const log = `${path}.journal`
    const changed = sealLog(readFileSync(log, 'utf8').replace('"op":"event"', '"op":"note"'))
    writeFileSync(log, changed)
    const problem = await problemOf(path)
    expect(problem).toContain(`Line 1 of the log ${log} cannot be used (no collection has the operation "note")`)
    expect(problem).toContain('move state.json and state.json.journal* away together')
    expect(readFileSync(log, 'utf8')).toBe(changed)
  })
})

test('a log whose state file is missing is refused, and no state file is created', async () => {
  const { path, store } = await openNew()
  await recordAll(store, ['a'])
  await store.close()
  const { store: reopened } = await openOrFail(path)
  await recordAll(reopened, ['b'])
  const copy = copyAsKilled(path)
  rmSync(copy)
  expect(await problemOf(copy)).toMatch(/Line 1 of the log \S+ is entry 2 but follows entry 0: the state file/)
  expect(existsSync(copy)).toBe(false)
})

describe('the path of a state file', () => {
  test('is refused if it is a folder', async () => {
    const folder = dirname(statePath())
    expect(await problemOf(folder)).toContain(`cannot be stored in ${folder} (it is a folder, not a file)`)
    expect(readdirSync(dirname(folder))).not.toContain(`${basename(folder)}.lock`)
  })

  test('is refused if it is a device or a pipe', async () => {
    const path = statePath()
    execFileSync('mkfifo', [path])
    expect(await problemOf(path)).toContain('(it is a pipe or socket, not a file)')
    expect(await problemOf('/dev/null')).toContain('cannot be stored in /dev/null (it is a device, not a file)')
    expect(existsSync('/dev/null.lock')).toBe(false)
  })

  test.runIf(existsSync('/proc/version'))('is refused if the file cannot be created or written', async () => {
    for (const path of ['/proc/state.json', '/proc/convsim/state.json', '/proc/version', '/proc/version/a.json']) {
      const problem = await problemOf(path)
      expect(problem).toContain(`cannot be stored in ${path}`)
      expect(problem).toContain(':memory:')
    }
  })
})

test('quality settings with additional lists, which an import can contain, are unchanged after a restart', async () => {
  const { path, store } = await openNew()
  const quality = { weight: 0.1, note: [0], events: [0] }
  await recordAll(store, ['a'])
  await store.putQuality('default', quality)
  expect(await (await expectSame(path, store)).getQuality('default')).toEqual(quality)
})

test('the state file has one event per line and contains no token', async () => {
  const { path, store } = await openNew()
  await recordAll(store, ['a', 'b', 'c'])
  await store.consumeRate(context, 'token sk-secret', 5, 1000)
  await store.close()
  const text = readFileSync(path, 'utf8')
  expect(text.split('\n').filter((line) => line.includes('"eventId"'))).toHaveLength(3)
  expect(text).not.toContain('secret')
  expect(statSync(path).isFile()).toBe(true)
})
