/**
 * The state data in a file: a state file of lowdb with a write-ahead log beside it, and a lock. `state-file.ts` reads
 * and writes the files; `durable-committer.ts` appends to the log, and writes the state file anew.
 */
import { realpathSync, type Stats, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Low } from 'lowdb'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import { BaseStore } from '../base-store.ts'
import { StateData } from '../memory/state-data.ts'
import type { SharedState } from '../shared-state.ts'
import type { StateSummary, Store } from '../store.ts'
import { createFolder, findEntry, StateFileError } from './disk.ts'
import { DurableCommitter } from './durable-committer.ts'
import { type Lock, type LockHolder, takeLock } from './lock.ts'
import { DEFAULT_OPTIONS, type FileStoreOptions } from './options.ts'
import { StateFile } from './state-file.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

/** The numbers of records that a store was opened with, as far as they were read. */
export interface LoadSummary extends Partial<StateSummary> {
  /** The number of log entries that were not in the state file. Above 0: the last stop was not graceful. */
  readonly journalEntries: number
  /** The process that died holding the lock. Absent: the lock was free. */
  readonly tookOverFrom?: { readonly pid: number; readonly host: string; readonly since: string }
  /** Sentences about what is missing from the end of the log. Empty: nothing is known to be missing. */
  readonly warnings: readonly string[]
}

/** A store that is ready for use. */
export interface OpenedStore {
  readonly store: Store
  readonly loaded: LoadSummary
  /** Absent: no other process uses the state. */
  readonly shared?: SharedState
}

/** Opens the store in a file; creates a missing file. No other process can open the file until the store is closed. */
export async function openFileStore(given: string, options: FileStoreOptions = {}): Promise<Result<OpenedStore>> {
  let path = resolve(given)
  let lock: Lock | undefined
  try {
    createFolder(dirname(path))
    path = resolveLinks(path)
    const fault = describeUnusable(statSync(path, { throwIfNoEntry: false }))
    if (fault !== undefined) throw new Error(fault)
    const taken = await takeLock(`${path}.lock`)
    if (!taken.ok) return failure(lockedMessage(taken.error, path))
    lock = taken.value
    return success(await loadStore(path, lock, options))
  } catch (error) {
    lock?.release()
    return failure(unusableMessage(path, error))
  }
}

/** Returns the path with links resolved, of which the last part need not exist. Throws for a link to a missing file. */
function resolveLinks(path: string): string {
  if (findEntry(path) === undefined) return join(realpathSync.native(dirname(path)), basename(path))
  try {
    return realpathSync.native(path)
  } catch (error) {
    throw new Error(`it is a link that leads nowhere: ${reasonOf(error)}`, { cause: error })
  }
}

function describeUnusable(found: Stats | undefined): string | undefined {
  if (found === undefined) return undefined
  const other = found.isFIFO() || found.isSocket() ? 'a pipe or socket' : 'a device'
  if (!found.isFile()) return `it is ${found.isDirectory() ? 'a folder' : other}, not a file`
  if (found.nlink === 1) return undefined
  return (
    `it has ${found.nlink} names (hard links), and a second simulator could use it under another name; ` +
    'copy it to a file of its own'
  )
}

function lockedMessage({ pid, host, since }: LockHolder, path: string): string {
  return (
    `The state file ${path} is in use by process ${pid} on ${host}, since ${since}. ` +
    'Stop that process, or choose another file, or :memory:. ' +
    'A second simulator needs a port of its own, too: --state :memory: --port 0.'
  )
}

async function loadStore(path: string, lock: Lock, options: FileStoreOptions): Promise<OpenedStore> {
  const complete = { ...DEFAULT_OPTIONS, ...options }
  const file = new StateFile(path, new WriteAheadLog(`${path}.journal`, lock, complete))
  const db = new Low(file, new StateData())
  await readFiles(db, file)
  const committer = new DurableCommitter(db, file, lock, complete)
  const store = new BaseStore(committer)
  const { tookOver: dead } = lock
  const { entries, warnings } = file.found
  const [last, acknowledged] = [db.data.seq, dead?.acknowledged ?? 0]
  const missing =
    `The log ends with entry ${last}, and entry ${acknowledged} was acknowledged: ` +
    `${acknowledged - last} acknowledged changes are lost, as by a power failure (see --sync) or a cut file.`
  const loaded = {
    ...(await store.size()),
    journalEntries: entries,
    ...(dead && { tookOverFrom: { pid: dead.pid, host: dead.host, since: dead.since } }),
    warnings: last < acknowledged ? [...warnings, missing] : warnings,
  }
  return { store, loaded }
}

const READ_ONLY = 0o400

/**
 * Reads the state, and begins the log. The old log is made read-only before, so that a process that lost its lock
 * acknowledges no entry that is not read here. A missing state file is written at once, which proves that it can be
 * written.
 */
async function readFiles(db: Low<StateData>, file: StateFile): Promise<void> {
  const isPresent = findEntry(file.path) !== undefined
  const found = findEntry(file.log.path)
  const setMode = async (mode = 0) => {
    // A link is refused, and its file is left as it is. Another user's log is replaced.
    if (found?.isFile()) await chmod(file.log.path, mode).catch(() => undefined)
  }
  await setMode(READ_ONLY)
  try {
    await db.read()
    if (!isPresent) await db.write()
    await file.beginLog(db.data)
  } catch (error) {
    await setMode(found?.mode)
    throw error
  }
}

/** Returns the sentence for a state that cannot be used. A damaged file stays unchanged: it may be the only copy. */
function unusableMessage(path: string, error: unknown): string {
  if (error instanceof StateFileError) {
    const name = basename(path)
    const step = `Move ${name} and ${name}.journal away together, or choose another file with --state.`
    return `${error.message}. It was left as it is. ${step}`
  }
  return `The state cannot be kept in ${path} (${reasonOf(error)}). Choose a place that can be written to, or :memory:.`
}
