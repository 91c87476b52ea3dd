import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type FileStoreOptions, openFileStore } from '../../../src/state/file/file-store.ts'
import { systemErrorCode } from '../../../src/state/file/state-file-error.ts'

/** The path of a state file that is not there yet, in a folder that goes away with the test. */
export function statePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state.json')
}

export async function openOrFail(path: string, options: FileStoreOptions = {}) {
  const opened = await openFileStore(path, options)
  if (!opened.ok) throw new Error(opened.error)
  return opened.value
}

export async function problemOf(path: string): Promise<string> {
  const opened = await openFileStore(path)
  if (!opened.ok) return opened.error
  await opened.value.store.close()
  return 'it opened'
}

/**
 * The state file as a process would leave it that is killed at this moment: a copy of all but the lock. The journal is
 * copied first, so that a checkpoint that is put in place meanwhile is newer than it, and never older.
 */
export function killedNow(path: string): string {
  const copy = statePath()
  for (const name of readdirSync(dirname(path)).sort().reverse()) {
    if (!name.includes('.lock')) copyIfThere(join(dirname(path), name), join(dirname(copy), name))
  }
  if (basename(copy) !== basename(path)) throw new Error('state files of a test have one name')
  return copy
}

/**
 * A file can go between being listed and being copied: a checkpoint that is finished meanwhile drops old journals. It can also
 * shrink, where a checkpoint begins anew: `copyFileSync` would wait for ever for the bytes that it saw at first.
 */
function copyIfThere(from: string, to: string): void {
  try {
    writeFileSync(to, readFileSync(from))
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
  }
}
