import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { systemErrorCode } from '../../../src/state/file/disk.ts'
import { type FileStoreOptions, openFileStore } from '../../../src/state/file/file-store.ts'
import { historySeed, SEAL, sealLine } from '../../../src/state/file/lines.ts'
import type { Store } from '../../../src/state/store.ts'
import { context, event } from '../drafts.ts'

/** Returns the path of a missing state file, in a folder that is removed after the test. */
export function statePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state.json')
}

/** Opens the store in a file. Throws if it is refused. */
export async function openOrFail(path: string, options: FileStoreOptions = {}) {
  const opened = await openFileStore(path, options)
  if (!opened.ok) throw new Error(opened.error)
  return opened.value
}

/** Opens the store in a file and returns why it is refused, or `it opened`. */
export async function problemOf(path: string): Promise<string> {
  const opened = await openFileStore(path)
  if (!opened.ok) return opened.error
  await opened.value.store.close()
  return 'it opened'
}

/**
 * Copies the state file and its log as a process would leave them that is killed now. The log is copied first, so that a
 * checkpoint that replaces the file meanwhile is newer than the log. Returns the path of the copied state file.
 */
export function copyAsKilled(path: string): string {
  const copy = statePath()
  for (const name of readdirSync(dirname(path)).sort().reverse()) {
    if (!name.includes('.lock')) copyIfExists(join(dirname(path), name), join(dirname(copy), name))
  }
  if (basename(copy) !== basename(path)) throw new Error('state files of a test have one name')
  return copy
}

/**
 * Copies a file unless it is gone: a checkpoint that ends meanwhile drops old log files. A new checkpoint can also shrink the
 * file, so `copyFileSync` would wait forever for the bytes that it saw at first.
 */
function copyIfExists(from: string, to: string): void {
  try {
    writeFileSync(to, readFileSync(from))
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
  }
}

/** Returns the text of a state file or a log, which a test has changed, with checksums that fit. */
export function sealLines(text: string): string {
  const seed = historySeed(/"history":"([^"]+)"/.exec(text)?.[1] ?? '')
  const lines = text.split('\n').slice(0, -1)
  const isSealed = (line: string) => line.startsWith(SEAL.slice(0, 8))
  return lines.map((line) => (isSealed(line) ? sealLine(line.slice(SEAL.length), seed) : `${line}\n`)).join('')
}

const { writeSync } = fs

/** Replaces the disk of all logs, until the end of the test, by one that can be full. It writes the part that fits. */
export function limitDisk() {
  const disk = { free: Number.POSITIVE_INFINITY, writes: 0 }
  const write = (fd: number, bytes: Uint8Array, offset = 0, length = bytes.length - offset) => {
    disk.writes += 1
    const fitting = Math.min(length, disk.free)
    disk.free -= fitting
    if (fitting === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    return writeSync(fd, bytes, offset, fitting)
  }
  const spy = vi.spyOn(fs, 'writeSync').mockImplementation(write as typeof writeSync)
  onTestFinished(() => spy.mockRestore())
  return disk
}

/** Records events with these insertIds in one turn of the event loop. */
export async function recordAll(store: Store, insertIds: readonly string[]): Promise<void> {
  await Promise.all(insertIds.map((insertId) => store.recordEvent(context, event({ insertId }))))
}

/** Lists the insertIds of all events. */
export async function listIds(store: Store): Promise<(string | undefined)[]> {
  return (await store.listEvents('default')).events.map(({ fields }) => fields.insertId)
}
