import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { SEAL, sealLine, systemErrorCode } from '../../../src/state/file/disk.ts'
import { openFileStore } from '../../../src/state/file/file-store.ts'
import type { FileStoreOptions } from '../../../src/state/file/write-ahead-log.ts'
import type { Store } from '../../../src/state/store.ts'
import { exportSandbox } from '../drafts.ts'

/** Returns a path for a new state file, in a folder that is removed after the test. */
export function statePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state.json')
}

/** Opens a file store for one test, by default with no checkpoints while it is open. Throws if opening is refused. */
export async function openOrFail(path: string, options: FileStoreOptions = {}) {
  const opened = await openFileStore(path, { checkpointMs: 600_000, ...options })
  if (!opened.ok) throw new Error(opened.error)
  onTestFinished(() => opened.value.store.close())
  return opened.value
}

/** Opens a file store in a new file, for one test. */
export async function openNew(options: FileStoreOptions = {}) {
  const path = statePath()
  return { path, ...(await openOrFail(path, options)) }
}

/** Tries to open the file store at `path`. Returns the reason why opening it was refused, or `none`. */
export async function problemOf(path: string): Promise<string> {
  const opened = await openFileStore(path)
  if (!opened.ok) return opened.error
  await opened.value.store.close()
  return 'none'
}

/**
 * Copies the state file and its log as they would be if the process were killed now. Returns the path of the copied
 * state file. The log is copied first, so no entry is missing if a checkpoint moves it to the state file.
 */
export function copyAsKilled(path: string): string {
  const copy = statePath()
  for (const name of readdirSync(dirname(path)).sort().reverse()) {
    if (!name.includes('.lock')) copyIfExists(join(dirname(path), name), join(dirname(copy), name))
  }
  if (basename(copy) !== basename(path)) throw new Error('all state files of a test must have the same name')
  return copy
}

/**
 * Copies a file, unless a checkpoint has just deleted it. Does not use `copyFileSync`, which would wait forever for the
 * missing bytes if a checkpoint shrank the file while it was being copied.
 */
function copyIfExists(from: string, to: string): void {
  try {
    writeFileSync(to, readFileSync(from))
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
  }
}

/** Expects the default sandbox to be unchanged after a simulated kill and a shutdown. Returns the reopened store. */
export async function expectSame(path: string, store: Store): Promise<Store> {
  const before = await exportSandbox(store, 'default')
  const killed = await openOrFail(copyAsKilled(path))
  expect(await exportSandbox(killed.store, 'default')).toEqual(before)
  await store.close()
  const stopped = await openOrFail(path)
  expect(await exportSandbox(stopped.store, 'default')).toEqual(before)
  return stopped.store
}

/** Returns a disk whose free space a test can limit. Like a real disk, it writes the part that fits. */
export function smallDisk() {
  const disk = {
    free: Number.POSITIVE_INFINITY,
    write: (fd: number, bytes: Uint8Array, offset: number) => {
      const count = Math.min(bytes.length - offset, disk.free)
      disk.free -= count
      if (count === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      return writeSync(fd, bytes, offset, count)
    },
  }
  return disk
}

/** Recomputes the checksum of each line of a log, so that tests can change entries. */
export function sealLog(text: string): string {
  const seal = (line: string) => {
    const bytes = Buffer.from(line)
    if (line.startsWith(SEAL.slice(0, 8))) sealLine(bytes)
    return `${bytes.toString('utf8')}\n`
  }
  return text.split('\n').slice(0, -1).map(seal).join('')
}
