import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { childLimits } from '../../support/child-limits.ts'
import { copyAsKilled, listIds, openOrFail, problemOf, recordAll, statePath } from './open-file.ts'

/** Returns the path of a state file with one event. */
async function storedState(): Promise<string> {
  const path = statePath()
  const { store } = await openOrFail(path)
  await recordAll(store, ['a'])
  await store.close()
  return path
}

describe('a path that cannot be written to', () => {
  test('is refused with the path and the next step', async () => {
    const path = statePath()
    writeFileSync(path, 'a file, not a folder')
    const problem = await problemOf(`${path}/state.json`)
    expect(problem).toContain(`cannot be kept in ${path}/state.json`)
    expect(problem).toContain(':memory:')
  })

  test('is refused if it is a folder', async () => {
    const folder = dirname(statePath())
    expect(await problemOf(folder)).toContain(`cannot be kept in ${folder} (it is a folder, not a file)`)
    expect(readdirSync(dirname(folder))).not.toContain(`${basename(folder)}.lock`)
  })

  test('is refused if it is a pipe, which a read would wait for', async () => {
    const path = statePath()
    execFileSync('mkfifo', [path])
    expect(await problemOf(path)).toContain('(it is a pipe or socket, not a file)')
  })

  test('is refused if it is a device', async () => {
    expect(await problemOf('/dev/null')).toContain('cannot be kept in /dev/null (it is a device, not a file)')
    expect(existsSync('/dev/null.lock')).toBe(false)
  })

  test.runIf(existsSync('/proc/version'))('is refused if neither file nor folder can be created', async () => {
    for (const path of ['/proc/state.json', '/proc/convsim/state.json', '/proc/version']) {
      const problem = await problemOf(path)
      expect(problem).toContain(`cannot be kept in ${path}`)
      expect(problem).toContain(':memory:')
    }
  })

  test('is refused if the folder is read-only', async () => {
    const folder = dirname(statePath())
    // Root can write to any folder unless it drops its capabilities.
    const dropRights = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] : []
    const script = `
      import { openFileStore } from ${JSON.stringify(new URL('../../../src/state/file/file-store.ts', import.meta.url).pathname)}
      const opened = await openFileStore(${JSON.stringify(join(folder, 'state.json'))})
      console.log(opened.ok ? 'it opened' : opened.error)`
    chmodSync(folder, 0o555)
    const [command = process.execPath, ...before] = [...dropRights, process.execPath]
    const output = execFileSync(command, [...before, '--import', 'tsx', '--input-type=module', '-e', script], {
      ...childLimits,
      encoding: 'utf8',
    })
    chmodSync(folder, 0o755)
    expect(output).toContain(`cannot be kept in ${join(folder, 'state.json')} (EACCES`)
  })
})

test('a store creates all missing folders of its path', async () => {
  const folder = dirname(statePath())
  expect(await problemOf(join(folder, 'a', 'b', 'c', 'state.json'))).toBe('it opened')
  expect(await problemOf(join(folder, 'a', 'b', 'd', 'state.json'))).toBe('it opened')
})

test('a file with a second name is refused, since another process could use it under that name', async () => {
  const path = await storedState()
  linkSync(path, `${path}.other`)
  expect(await problemOf(path)).toContain('it has 2 names (hard links)')
  expect(await problemOf(`${path}.other`)).toContain('it has 2 names (hard links)')
  rmSync(`${path}.other`)
  expect(await problemOf(path)).toBe('it opened')
})

test('a link is followed to its file, and a link that leads nowhere is refused', async () => {
  const path = await storedState()
  const link = statePath()
  symlinkSync(path, link)
  const { store: linked } = await openOrFail(link)
  expect(await listIds(linked)).toEqual(['a'])
  await linked.close()
  renameSync(path, `${path}.moved`)
  expect(await problemOf(link)).toContain('it is a link that leads nowhere')
  expect(readdirSync(dirname(path))).toEqual(['state.json.moved'])
})

test('links in the place of temporary files are not followed', async () => {
  const path = statePath()
  const victim = `${path}.victim`
  writeFileSync(victim, 'precious')
  for (const name of ['state.json.tmp', 'state.json.journal.tmp']) symlinkSync(victim, join(dirname(path), name))
  const { store } = await openOrFail(path)
  await recordAll(store, ['a'])
  expect(lstatSync(`${path}.journal`).isFile()).toBe(true)
  await store.close()
  expect(lstatSync(path).isFile()).toBe(true)
  expect(readFileSync(victim, 'utf8')).toBe('precious')
})

test('all files and folders are for their owner alone', async () => {
  const path = join(dirname(statePath()), 'new', 'folder', 'state.json')
  const { store } = await openOrFail(path)
  await recordAll(store, ['a'])
  const modeOf = (name: string) => statSync(name).mode & 0o777
  expect(modeOf(dirname(path))).toBe(0o700)
  expect(modeOf(dirname(dirname(path)))).toBe(0o700)
  const names = readdirSync(dirname(path)).sort()
  expect(names).toEqual(['state.json', 'state.json.journal', 'state.json.lock'])
  for (const name of names) expect([name, modeOf(join(dirname(path), name))]).toEqual([name, 0o600])
  const again = await openOrFail(copyAsKilled(path))
  await again.store.close()
  await store.close()
})
