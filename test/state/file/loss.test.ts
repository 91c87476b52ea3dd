import {
  appendFileSync,
  copyFileSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nextTurn } from '../../../src/base/core/timers.ts'
import { type Store, StoreWriteError } from '../../../src/state/store.ts'
import { context, event, listInsertIds } from '../drafts.ts'
import { copyAsKilled, openNew, openOrFail, problemOf, statePath } from './open-file.ts'

const record = (store: Store, insertId: string) => store.recordEvent(context, event({ insertId }))

/** Opens a store with one stored event. `reports` collects the problems that the store reports. */
async function openWithOneEvent() {
  const reports: string[] = []
  const { path, store } = await openNew({ report: (problem) => reports.push(problem) })
  await record(store, 'first')
  await nextTurn() // the files are checked once per turn of the event loop
  return { path, store, reports }
}

async function expectRefusal(store: Store, reason: string | RegExp): Promise<void> {
  for (const insertId of ['refused', 'also refused']) {
    const error = await record(store, insertId).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(StoreWriteError)
    expect(String(error)).toMatch(reason)
    expect(String(error)).toContain('GET /__sim/export')
  }
  expect(await listInsertIds(store)).not.toContain('refused')
}

test.each([
  ['while another process uses the state file', false],
  ['after another process has used the state file', true],
])('a process whose lock file was removed writes nothing %s', async (_, isOtherClosed) => {
  const { path, store, reports } = await openWithOneEvent()
  rmSync(`${path}.lock`)
  const second = await openOrFail(path)
  expect(await listInsertIds(second.store)).toEqual(['first'])
  await record(second.store, 'second')
  if (isOtherClosed) await second.store.close()
  else await expectRefusal(store, /its lock file \S+ was replaced by another process/)
  await store.close()
  expect(reports).toEqual([expect.stringContaining('its lock file')])
  if (!isOtherClosed) await record(second.store, 'third')
  await second.store.close()
  const third = await openOrFail(path)
  expect(await listInsertIds(third.store)).toEqual(['first', 'second', ...(isOtherClosed ? [] : ['third'])])
})

/** Ways in which a running process can lose its log: the resulting state, part of the report, and the cause. */
const losses: [string, string, (log: string, backup: string) => void][] = [
  ['removed with its folder', 'its lock file', (log) => rmSync(dirname(log), { recursive: true })],
  ['removed', 'its log', (log) => rmSync(log)],
  ['moved away', 'was removed or moved', renameSync],
  ['replaced', 'was replaced', (log, backup) => [renameSync(log, backup), copyFileSync(backup, log)]],
  ['now a link to itself', 'be found (ELOOP', (log, backup) => [renameSync(log, backup), symlinkSync(log, log)]],
  ['emptied', 'another program changed', (log) => truncateSync(log)],
  ['appended to', 'another program changed', (log) => appendFileSync(log, 'x')],
]

describe.each(losses)('a log that is %s', (_, reason, loseLog) => {
  test.each(['after a check', 'even without a check'])('counts as lost, and writes are refused %s', async (when) => {
    const { path, store, reports } = await openWithOneEvent()
    expect(await store.findLoss()).toBeUndefined()
    loseLog(`${path}.journal`, `${path}.backup`)
    if (when === 'after a check') expect(await store.findLoss()).toContain(reason)
    await expectRefusal(store, reason)
    expect(reports).toHaveLength(1)
    expect(await listInsertIds(store)).toEqual(['first'])
  })
})

test('a lock file that was replaced by a dangling link counts as lost', async () => {
  const { path, store } = await openWithOneEvent()
  rmSync(`${path}.lock`)
  symlinkSync('nowhere', `${path}.lock`)
  expect(await store.findLoss()).toContain('was removed')
})

test('a file with a second hard link is refused, since another process could use it under the other name', async () => {
  const { path, store } = await openWithOneEvent()
  await store.close()
  linkSync(path, `${path}.other`)
  expect(await problemOf(path)).toContain('it has 2 hard links')
  expect(await problemOf(`${path}.other`)).toContain('it has 2 hard links')
  rmSync(`${path}.other`)
  expect(await problemOf(path)).toBe('none')
})

test('a symbolic link to a state file is followed, and a dangling link is refused', async () => {
  const { path, store } = await openWithOneEvent()
  await store.close()
  const link = statePath()
  symlinkSync(path, link)
  const { store: linked } = await openOrFail(link)
  expect(await listInsertIds(linked)).toEqual(['first'])
  await linked.close()
  renameSync(path, `${path}.moved`)
  expect(await problemOf(link)).toContain('it is a dangling link')
  expect(readdirSync(dirname(path))).toEqual(['state.json.moved'])
})

test('a symbolic link in place of the temporary file is not followed', async () => {
  const path = statePath()
  const victim = `${path}.victim`
  writeFileSync(victim, 'precious')
  symlinkSync(victim, `${path}.tmp`)
  const { store } = await openOrFail(path)
  await record(store, 'a')
  expect(lstatSync(`${path}.journal`).isFile()).toBe(true)
  await store.close()
  expect(lstatSync(path).isFile()).toBe(true)
  expect(readFileSync(victim, 'utf8')).toBe('precious')
})

test('the files and folders that a store creates are accessible only to their owner', async () => {
  const path = join(dirname(statePath()), 'new', 'folder', 'state.json')
  const { store } = await openOrFail(path)
  await record(store, 'a')
  const modeOf = (name: string) => statSync(name).mode & 0o777
  expect(modeOf(dirname(path))).toBe(0o700)
  expect(modeOf(dirname(dirname(path)))).toBe(0o700)
  const names = readdirSync(dirname(path)).sort()
  expect(names).toEqual(['state.json', 'state.json.journal', 'state.json.lock'])
  for (const name of names) expect([name, modeOf(join(dirname(path), name))]).toEqual([name, 0o600])
  await openOrFail(copyAsKilled(path))
})
