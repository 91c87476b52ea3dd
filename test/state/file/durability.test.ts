import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import type { WriteBytes } from '../../../src/state/file/write-ahead-log.ts'
import type { EventDraft } from '../../../src/state/records.ts'
import type { Store } from '../../../src/state/store.ts'
import { childLimits } from '../../support/child-limits.ts'
import { event, prompt, writer } from '../drafts.ts'
import { killedNow, openOrFail, problemOf, statePath } from './folder.ts'

async function insertIds(store: Store): Promise<(string | undefined)[]> {
  return (await store.listEvents('default')).events.map(({ fields }) => fields.insertId)
}

async function recordAll(store: Store, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((insertId) => store.recordEvent(writer, event({ insertId }))))
}

describe('what was acknowledged', () => {
  test('is there after a stop without warning, and after a graceful one', async () => {
    const path = statePath()
    const first = await openOrFail(path)
    await recordAll(first.store, ['a', 'b'])
    await first.store.addPromptVersion(writer, prompt({ externalPromptId: 'p' }))
    await first.store.createSnapshot(writer)
    const before = await first.store.exportSandbox('default')

    const copy = killedNow(path)
    const second = await openOrFail(copy)
    expect(second.loaded).toMatchObject({ sandboxes: 1, events: 2, prompts: 1, journalEntries: 4 })
    expect(await second.store.exportSandbox('default')).toEqual(before)
    await second.store.close()
    expect(readdirSync(dirname(copy))).toEqual(['state.json'])

    const third = await openOrFail(copy)
    expect(third.loaded).toMatchObject({ sandboxes: 1, events: 2, prompts: 1, journalEntries: 0 })
    expect(await third.store.exportSandbox('default')).toEqual(before)
    expect(await third.store.listSnapshots('default')).toHaveLength(1)
    expect((await third.store.recordEvent(writer, event({ insertId: 'a' }))).replayed).toBe(true)
    await third.store.close()
  })

  test('is in the journal before the answer', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    await store.recordEvent(writer, event({ insertId: 'a' }))
    expect(readFileSync(`${path}.journal.1`, 'utf8')).toContain('"insertId":"a"')
    await store.close()
  })

  test('of one turn goes to the journal in one write', async () => {
    let writes = 0
    const write: WriteBytes = (fd, bytes, offset) => {
      writes += 1
      return writeSync(fd, bytes, offset)
    }
    const { store } = await openOrFail(statePath(), { write })
    await recordAll(
      store,
      Array.from({ length: 100 }, (_, index) => `e${index}`),
    )
    expect(writes).toBe(1)
    await store.close()
  })

  test('survives where the last line was torn, and what follows is whole', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    await recordAll(store, ['a', 'b'])
    const whole = readFileSync(`${path}.journal.1`, 'utf8')
    const lastLine = whole.trimEnd().split('\n').at(-1) ?? ''
    for (const torn of ['{', lastLine.slice(0, 40), lastLine, '\u0000\u0000\u0000']) {
      const copy = killedNow(path)
      appendFileSync(`${copy}.journal.1`, torn)
      const again = await openOrFail(copy)
      expect(await insertIds(again.store)).toEqual(['a', 'b'])
      expect(readFileSync(`${copy}.journal.1`, 'utf8')).toBe(whole)
      await recordAll(again.store, ['c'])
      expect(await insertIds((await openOrFail(killedNow(copy))).store)).toEqual(['a', 'b', 'c'])
    }
  })

  test('is not applied twice where the process died between checkpoint and dropping the journal', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    await store.recordEvent(writer, event())
    await store.recordEvent(writer, event({ insertId: 'a' }))
    await store.recordEvent(writer, event({ insertId: 'a' }))
    const journal = readFileSync(`${path}.journal.1`)
    const before = await store.exportSandbox('default')
    await store.close()
    writeFileSync(`${path}.journal.1`, journal)

    const again = await openOrFail(path)
    expect(again.loaded.journalEntries).toBe(0)
    expect(await again.store.exportSandbox('default')).toEqual(before)
    await again.store.recordEvent(writer, event({ insertId: 'b' }))
    await again.store.close()
    expect((await openOrFail(path)).loaded.events).toBe(3)
  })

  test('is there where the process died while a checkpoint was being written', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    await recordAll(store, ['a', 'b'])
    const copy = killedNow(path)
    writeFileSync(`${copy}.tmp`, '{"kind": "convsim st')
    const again = await openOrFail(copy)
    expect(await insertIds(again.store)).toEqual(['a', 'b'])
    await again.store.close()
    expect(readdirSync(dirname(copy))).toEqual(['state.json'])
  })
})

test('a checkpoint is written between the writes, not instead of them', async () => {
  const path = statePath()
  const { store } = await openOrFail(path, { checkpointFrom: 4_000_000 })
  const replacedBy = () => statSync(path).ino
  const before = replacedBy()
  const ids = Array.from({ length: 10_000 }, (_, index) => `e${index}`)
  await recordAll(store, ids) // some 4 MB in one turn: the checkpoint begins, and takes some sixty slices
  let meanwhile = 0
  for (; replacedBy() === before; meanwhile += 1)
    await store.recordEvent(writer, event({ insertId: `meanwhile ${meanwhile}` }))
  expect(meanwhile).toBeGreaterThan(50)
  await store.close()
  const again = await openOrFail(path)
  expect(again.loaded).toMatchObject({ events: ids.length + meanwhile, journalEntries: 0 })
  await again.store.close()
})

describe('what only an edited contract lets in', () => {
  /** Bodies as they may come where somebody has learnt that the service is more liberal than its description. */
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

  test('is kept, loads again, and is met again on a retry where it has a name', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    for (const body of events) await store.recordEvent(writer, { ...event(), ...body } as EventDraft)
    for (const body of prompts) await store.addPromptVersion(writer, body)
    const before = await store.exportSandbox('default')
    expect(before.events.map(({ replays }) => replays)).toEqual([0, 0, 1, 1, 0])
    expect(before.prompts.map(({ versions }) => versions.length)).toEqual([1, 1, 1, 1, 1])

    const fromJournal = await openOrFail(killedNow(path))
    expect(await fromJournal.store.exportSandbox('default')).toEqual(before)
    await store.close()
    const fromFile = await openOrFail(path)
    expect(await fromFile.store.exportSandbox('default')).toEqual(before)
    const named = { ...event(), insertId: { b: 2, a: 1 } } as unknown as EventDraft
    expect((await fromFile.store.recordEvent(writer, named)).replayed).toBe(true)
  })
})

describe('a full disk', () => {
  /** A disk with room for this many bytes; as a real one does, it takes what still fits. */
  function disk(): { room: number; write: WriteBytes } {
    const self = {
      room: Number.POSITIVE_INFINITY,
      write: (fd: number, bytes: Uint8Array, offset: number) => {
        const fitting = Math.min(bytes.length - offset, self.room)
        self.room -= fitting
        if (fitting === 0)
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
        return writeSync(fd, bytes, offset, fitting)
      },
    }
    return self
  }

  test('refuses the write, changes nothing, and lets writing go on once there is room', async () => {
    const path = statePath()
    const limited = disk()
    const { store } = await openOrFail(path, { write: limited.write })
    await recordAll(store, ['a'])
    const before = await store.exportSandbox('default')
    const impact = await store.eventImpact('default', { productIds: [event().productId] })
    limited.room = 100
    const refused = [
      store.recordEvent(writer, event({ insertId: 'b' })),
      store.recordEvent(writer, event({ insertId: 'a' })),
      store.recordEvent(writer, event()),
      store.addPromptVersion(writer, prompt()),
      store.addPromptVersion(writer, prompt({ externalPromptId: 'p' })),
      store.putQuality('default', { weight: 1 }),
      store.createSnapshot(writer),
      store.reset('default'),
      store.recordEvent({ ...writer, sandbox: 'new' }, event()),
      store.deleteSandbox('default'),
    ]
    for (const outcome of await Promise.allSettled(refused)) {
      expect(outcome).toMatchObject({ status: 'rejected' })
      expect(String(outcome.status === 'rejected' && outcome.reason)).toContain('no space left on device')
    }
    expect(await store.exportSandbox('default')).toEqual(before)
    expect(await store.eventImpact('default', { productIds: [event().productId] })).toEqual(impact)
    expect(await store.size()).toEqual({ sandboxes: 1, events: 1, prompts: 0 })
    expect(await store.listSnapshots('default')).toEqual([])

    limited.room = Number.POSITIVE_INFINITY
    await recordAll(store, ['b', 'a'])
    expect((await store.recordEvent(writer, event())).event.repeatOf).toBeUndefined()
    const again = await openOrFail(killedNow(path))
    expect(await insertIds(again.store)).toEqual(['a', 'b', undefined])
  })

  test('refuses only what does not fit', async () => {
    const limited = disk()
    const { store } = await openOrFail(statePath(), { write: limited.write })
    await recordAll(store, ['a'])
    limited.room = 2000
    const outcomes = await Promise.allSettled([
      store.recordEvent(writer, event({ insertId: 'large', properties: { text: 'x'.repeat(5000) } })),
      store.recordEvent(writer, event({ insertId: 'small' })),
    ])
    limited.room = Number.POSITIVE_INFINITY
    expect(outcomes.map(({ status }) => status)).toContain('rejected')
    expect(await insertIds(store)).not.toContain('large')
    await store.close()
  })

  test('keeps the journal where the checkpoint cannot be written, and says so', async () => {
    const path = statePath()
    const problems: string[] = []
    const { store } = await openOrFail(path, { report: (problem) => problems.push(problem) })
    await recordAll(store, ['a', 'b'])
    rmSync(path)
    mkdirSync(`${path}/in-the-way`, { recursive: true })
    await store.close()
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain('could not be folded')
    rmSync(path, { recursive: true })
    const again = await openOrFail(path)
    expect(await insertIds(again.store)).toEqual(['a', 'b'])
    await again.store.close()
  })
})

describe('a file that cannot be used is left as it is', () => {
  const good = '{"kind":"convsim state","format":1,"seq":0,"sandboxes":[]}'

  test.each([
    ['cut off', good.slice(0, 40), 'is not JSON from line 1, column 41 on'],
    ['broken', good.replace('[]', '[\n{,]'), 'is not JSON from line 2, column 2 on'],
    ['empty', '', 'is not JSON from line 1, column 1 on'],
    ["somebody else's", '{"name":"package"}', 'is no file of ours'],
    ['newer', good.replace('1', '9'), 'has format 9, and this version knows formats up to 1'],
    ['of another shape', good.replace('[]', '[{"name":"a"}]'), 'sandboxes[0].quality must be an object'],
  ])('%s', async (_, content, why) => {
    const path = statePath()
    writeFileSync(path, content)
    const problem = await problemOf(path)
    expect(problem).toContain(path)
    expect(problem).toContain(why)
    expect(problem).toContain('Move it away')
    expect(readFileSync(path, 'utf8')).toBe(content)
    expect(readdirSync(dirname(path))).toEqual(['state.json'])
  })

  async function withJournal(change: (lines: string[]) => string[]): Promise<string> {
    const original = statePath()
    const { store } = await openOrFail(original)
    await recordAll(store, ['a', 'b', 'c'])
    const path = killedNow(original)
    const journal = `${path}.journal.1`
    const changed = change(readFileSync(journal, 'utf8').split('\n')).join('\n')
    writeFileSync(journal, changed)
    const problem = await problemOf(path)
    expect(readFileSync(journal, 'utf8')).toBe(changed)
    return problem
  }

  test('a journal with a broken line in the middle, with its place', async () => {
    const problem = await withJournal(([head = '', a = '', ...rest]) => [head, a, 'garbage', ...rest])
    expect(problem).toContain('state.json.journal.1, line 3: cannot be used')
  })

  test('a journal that lacks a line', async () => {
    const problem = await withJournal(([head = '', a = '', , ...rest]) => [head, a, ...rest])
    expect(problem).toContain('line 3: is entry 3 and follows entry 1')
  })

  test('a journal with an entry of another shape', async () => {
    const problem = await withJournal((lines) => lines.map((line) => line.replace('"eventId"', '"id"')))
    expect(problem).toContain('line 2: is no entry: event.eventId must be a string that is not empty')
  })

  test('a journal of somebody else', async () => {
    const problem = await withJournal((lines) => ['{"hello":"world"}', ...lines.slice(1)])
    expect(problem).toContain('line 1: is no file of ours')
  })

  test('a state file that is gone while its journal goes on from it', async () => {
    const path = statePath()
    const { store } = await openOrFail(path)
    await recordAll(store, ['a'])
    await store.close()
    const { store: again } = await openOrFail(path)
    await recordAll(again, ['b'])
    const copy = killedNow(path)
    rmSync(copy)
    expect(await problemOf(copy)).toContain('do not belong together')
    expect(existsSync(copy)).toBe(false)
  })
})

describe('a place that cannot be written to', () => {
  test('is named, with the next step', async () => {
    const path = statePath()
    writeFileSync(path, 'a file, not a folder')
    const problem = await problemOf(`${path}/state.json`)
    expect(problem).toContain(`cannot be kept in ${path}/state.json`)
    expect(problem).toContain(':memory:')
  })

  test('is refused where a folder has the name', async () => {
    const folder = dirname(statePath())
    expect(await problemOf(folder)).toContain(`cannot be kept in ${folder} (it is a folder, not a file)`)
    expect(readdirSync(dirname(folder))).not.toContain(`${basename(folder)}.lock`)
  })

  test('is refused where a pipe has the name, which nobody ever writes to', async () => {
    const path = statePath()
    execFileSync('mkfifo', [path])
    expect(await problemOf(path)).toContain('(it is a pipe or socket, not a file)')
  })

  test('is refused where a device has the name', async () => {
    expect(await problemOf('/dev/null')).toContain('cannot be kept in /dev/null (it is a device, not a file)')
    expect(existsSync('/dev/null.lock')).toBe(false)
  })

  test.runIf(existsSync('/proc/version'))('is refused where no file and no folder can be made', async () => {
    for (const path of ['/proc/state.json', '/proc/convsim/state.json', '/proc/version']) {
      const problem = await problemOf(path)
      expect(problem).toContain(`cannot be kept in ${path}`)
      expect(problem).toContain(':memory:')
    }
  })

  test('is refused where the folder is read-only', async () => {
    const folder = dirname(statePath())
    // Root may write to any folder, unless it gives up that right.
    const give = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] : []
    const script = `
      import { openFileStore } from ${JSON.stringify(new URL('../../../src/state/file/file-store.ts', import.meta.url).pathname)}
      const opened = await openFileStore(${JSON.stringify(join(folder, 'state.json'))})
      console.log(opened.ok ? 'it opened' : opened.problem)`
    chmodSync(folder, 0o555)
    const [command = process.execPath, ...before] = [...give, process.execPath]
    const said = execFileSync(command, [...before, '--import', 'tsx', '--input-type=module', '-e', script], {
      ...childLimits,
      encoding: 'utf8',
    })
    chmodSync(folder, 0o755)
    expect(said).toContain(`cannot be kept in ${join(folder, 'state.json')} (EACCES`)
  })

  test('can be several folders deep, none of which is there yet', async () => {
    const folder = dirname(statePath())
    expect(await problemOf(join(folder, 'a', 'b', 'c', 'state.json'))).toBe('it opened')
    expect(await problemOf(join(folder, 'a', 'b', 'd', 'state.json'))).toBe('it opened')
  })
})

test('the state file is readable: one event a line, and no token in it', async () => {
  const path = statePath()
  const { store } = await openOrFail(path)
  await recordAll(store, ['a', 'b', 'c'])
  await store.consumeRate(writer, 'token sk-secret', 5, 1000)
  await store.close()
  const text = readFileSync(path, 'utf8')
  expect(text.split('\n').filter((line) => line.includes('"eventId"'))).toHaveLength(3)
  expect(text).not.toContain('secret')
  expect(statSync(path).isFile()).toBe(true)
})
