import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { SEAL, sealLine, systemErrorCode } from '../../../src/state/file/disk.ts'
import { openFileStore } from '../../../src/state/file/file-store.ts'
import type { FileStoreOptions } from '../../../src/state/file/write-ahead-log.ts'
import type { Store } from '../../../src/state/store.ts'
import { exportSandbox } from '../drafts.ts'

/** Returns the path of a missing state file, in a folder that is removed after the test. */
export function statePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state.json')
}

/** Opens the store in a file until the end of the test, by default without checkpoints. Throws if it is refused. */
export async function openOrFail(path: string, options: FileStoreOptions = {}) {
  const opened = await openFileStore(path, { checkpointMs: 600_000, ...options })
  if (!opened.ok) throw new Error(opened.error)
  onTestFinished(() => opened.value.store.close())
  return opened.value
}

/** Opens the store in a new file until the end of the test. */
export async function openNew(options: FileStoreOptions = {}) {
  const path = statePath()
  return { path, ...(await openOrFail(path, options)) }
}

/** Opens the store in a file and returns why it is refused, or `it opened`. */
export async function problemOf(path: string): Promise<string> {
  const opened = await openFileStore(path)
  if (!opened.ok) return opened.error
  await opened.value.store.close()
  return 'it opened'
}

/**
 * Copies the state file and its log as a process that is killed now would leave them. The log is copied first, so that
 * a checkpoint that replaces the file meanwhile is newer than the log. Returns the path of the copied state file.
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
 * Copies a file unless it is gone: a checkpoint that ends meanwhile drops old log files. A new checkpoint can also
 * shrink the file, so `copyFileSync` would wait forever for the bytes that it saw at first.
 */
function copyIfExists(from: string, to: string): void {
  try {
    writeFileSync(to, readFileSync(from))
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
  }
}

/** Expects a sandbox to be the same after a kill and after a stop. Returns the store reopened after the stop. */
export async function expectKept(path: string, store: Store): Promise<Store> {
  const before = await exportSandbox(store, 'default')
  const killed = await openOrFail(copyAsKilled(path))
  expect(await exportSandbox(killed.store, 'default')).toEqual(before)
  await store.close()
  const stopped = await openOrFail(path)
  expect(await exportSandbox(stopped.store, 'default')).toEqual(before)
  return stopped.store
}

/** A disk with a number of free bytes. Like a real disk, it writes the part that fits. */
export function smallDisk() {
  const disk = {
    free: Number.POSITIVE_INFINITY,
    write: (fd: number, bytes: Uint8Array, offset: number) => {
      const fitting = Math.min(bytes.length - offset, disk.free)
      disk.free -= fitting
      if (fitting === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      return writeSync(fd, bytes, offset, fitting)
    },
  }
  return disk
}

/** Returns the text of a log with the checksum that each line would have, so tests can change entries. */
export function sealLog(text: string): string {
  const seal = (line: string) => {
    const bytes = Buffer.from(line)
    if (line.startsWith(SEAL.slice(0, 8))) sealLine(bytes)
    return `${bytes.toString('utf8')}\n`
  }
  return text.split('\n').slice(0, -1).map(seal).join('')
}
