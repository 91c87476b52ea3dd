/**
 * Stores the state in files: a lowdb state file, its write-ahead log, and a lock. `state-file.ts` reads the state file
 * and its log, and writes the state file. `durable-committer.ts` appends to the log and schedules state file writes.
 */
import { realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Low } from 'lowdb'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import { BaseStore } from '../base-store.ts'
import { StateData } from '../memory/state-data.ts'
import type { SharedState } from '../shared-state.ts'
import type { StateSummary, Store } from '../store.ts'
import { createFolder, findEntry, StateFileError } from './disk.ts'
import { DurableCommitter } from './durable-committer.ts'
import { type Lock, type LockHolder, processUid, takeLock } from './lock.ts'
import { StateFile } from './state-file.ts'
import { DEFAULT_OPTIONS, type FileStoreOptions, WriteAheadLog } from './write-ahead-log.ts'

/** What was found when a store was opened. Record counts that were not read are absent. */
export interface LoadSummary extends Partial<StateSummary> {
  /** The number of log entries that were not yet in the state file; usually 0 after a graceful shutdown. */
  readonly logEntries: number
  /** The process that died while holding the lock (pid 0 if unknown); absent if the lock was free. */
  readonly tookOverFrom?: { readonly pid: number; readonly since: string }
  /** Warnings, for example about a file that was edited by hand, or about a log entry truncated by a crash. */
  readonly warnings: readonly string[]
}

export interface OpenedStore {
  readonly store: Store
  readonly loaded: LoadSummary
  /** Absent if the state cannot be shared with other processes. */
  readonly shared?: SharedState
}

/** Opens the store in an existing or new file. Other simulators on this machine cannot use the file until `close`. */
export async function openFileStore(file: string, options: FileStoreOptions = {}): Promise<Result<OpenedStore>> {
  let path = resolve(file)
  let lock: Lock | undefined
  try {
    createFolder(dirname(path))
    path = resolveLinks(path)
    const problem = describeUnusable(statSync(path, { throwIfNoEntry: false }))
    if (problem !== undefined) throw new Error(problem)
    const taken = await takeLock(`${path}.lock`)
    if (!taken.ok) return failure(lockedMessage(taken.error, path))
    lock = taken.value
    return success(await loadStore(path, lock, options))
  } catch (error) {
    lock?.release()
    return failure(unusableMessage(path, error))
  }
}

/** Returns the path with links resolved. The last segment need not exist. Throws for a dangling link. */
function resolveLinks(path: string): string {
  if (findEntry(path) === undefined) return join(realpathSync.native(dirname(path)), basename(path))
  try {
    return realpathSync.native(path)
  } catch (error) {
    throw new Error(`it is a dangling link: ${reasonOf(error)}`, { cause: error })
  }
}

function describeUnusable(found: Stats | undefined): string | undefined {
  if (found === undefined) return undefined
  const other = found.isFIFO() || found.isSocket() ? 'a pipe or socket' : 'a device'
  if (!found.isFile()) return `it is ${found.isDirectory() ? 'a folder' : other}, not a file`
  if (found.nlink === 1) return undefined
  return (
    `it has ${found.nlink} hard links, so a second simulator could use it under another name; ` +
    'copy it and use the copy'
  )
}

function lockedMessage({ pid, since }: LockHolder, path: string): string {
  return (
    `The state file ${path} has been in use by process ${pid} since ${since}. ` +
    'Stop that process, or choose another file or :memory:. ' +
    'A second simulator also needs its own port: --state :memory: --port 0.'
  )
}

async function loadStore(path: string, lock: Lock, options: FileStoreOptions): Promise<OpenedStore> {
  const completeOptions = { ...DEFAULT_OPTIONS, ...options }
  const file = new StateFile(path, new WriteAheadLog(`${path}.journal`, lock, completeOptions))
  const db = new Low(file, new StateData())
  await db.read()
  if (file.seq < db.data.seq) await db.write() // the file is new, edited, or behind the log; `begin` empties the log
  file.log.begin()
  const store = new BaseStore(db.data, new DurableCommitter(db, file, lock, completeOptions))
  const { deadHolder: dead } = lock
  const { entries, warnings } = file.found
  const loaded = {
    ...(await store.size()),
    logEntries: entries,
    ...(dead && { tookOverFrom: { pid: dead.pid, since: dead.since } }),
    warnings,
  }
  return { store, loaded }
}

/** Returns the message for an unusable state file. A damaged file is not changed, since it may be the only copy. */
function unusableMessage(path: string, error: unknown): string {
  if (error instanceof StateFileError) {
    const name = basename(path)
    const step = `Correct the file, or move ${name} and ${name}.journal* away together`
    return `${error.message}. Nothing was changed. ${step}, or choose another file with --state.`
  }
  const { code } = error as NodeJS.ErrnoException
  const uid = code === 'EACCES' || code === 'EPERM' ? processUid() : undefined
  const need = uid === undefined ? '' : ` ${dirname(resolve(path))} must be writable by uid ${uid}.`
  const step = 'Choose a file in a writable folder, or :memory:.'
  return `The state cannot be stored in ${path} (${reasonOf(error)}).${need} ${step}`
}
