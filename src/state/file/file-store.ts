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
import { addUpRecords, listSandboxes } from '../queries.ts'
import type { SharedState } from '../shared-state.ts'
import type { StateSummary, Store } from '../store.ts'
import { MAX_RECORD_LENGTH } from './change-text.ts'
import { createFolder, findEntry, StateFileError } from './disk.ts'
import { DurableCommitter } from './durable-committer.ts'
import { type Lock, type LockHolder, takeLock } from './lock.ts'
import { logPathOf, StateFile } from './state-file.ts'
import { type SyncFile, WriteAheadLog, type WriteBytes } from './write-ahead-log.ts'

/** The options of a store in a file. */
export interface FileStoreOptions {
  /** Receives a sentence about each failure in the background, such as that of a checkpoint. Default: no effect. */
  readonly report?: (problem: string) => void
  /** The size of the log, in bytes, below which no checkpoint is written before the store closes. Default: 4 MiB. */
  readonly checkpointFrom?: number
  /** The largest length of a record in characters, for tests. Default: 2^27. */
  readonly maxRecordLength?: number
  /** Acknowledges a write once its change is on the disk, so that a power failure cannot lose it. Default: false. */
  readonly sync?: boolean
  /** Writes bytes to the log, for tests. Default: `writeSync` of Node. */
  readonly write?: WriteBytes
  /** Makes a file of the log durable, for tests. Default: `fdatasync` of Node. */
  readonly syncFile?: SyncFile
}

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

const DEFAULT_CHECKPOINT_FROM = 4 * 1024 * 1024

/** Opens the store in a file; creates a missing file. No other process can open the file until the store is closed. */
export async function openFileStore(path: string, options: FileStoreOptions = {}): Promise<Result<OpenedStore>> {
  const locked = await lockFile(resolve(path))
  if (!locked.ok) return locked
  const file = locked.value
  try {
    return success(await loadStore(file, options))
  } catch (error) {
    file.lock.release()
    return failure(unusableMessage(file.path, error))
  }
}

/** A state file that no other process can open. */
interface LockedFile {
  /** The absolute path, with links resolved. */
  readonly path: string
  readonly lock: Lock
}

async function lockFile(path: string): Promise<Result<LockedFile>> {
  try {
    createFolder(dirname(path))
    const real = resolveLinks(path)
    const fault = describeUnusable(statSync(real, { throwIfNoEntry: false }))
    if (fault !== undefined) throw new StateFileError(fault)
    const lock = await takeLock(`${real}.lock`)
    return lock.ok ? success({ path: real, lock: lock.value }) : failure(lockedMessage(lock.error, real))
  } catch (error) {
    return failure(
      `The state cannot be kept in ${path} (${reasonOf(error)}). Choose a place that can be written to, or :memory:.`,
    )
  }
}

/** Returns the path with links resolved, of which the last part need not exist. Throws for a link to a missing file. */
function resolveLinks(path: string): string {
  if (findEntry(path) === undefined) return join(realpathSync.native(dirname(path)), basename(path))
  try {
    return realpathSync.native(path)
  } catch (error) {
    throw new StateFileError(`it is a link that leads nowhere: ${reasonOf(error)}`, { cause: error })
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

async function loadStore({ path, lock }: LockedFile, options: FileStoreOptions): Promise<OpenedStore> {
  const { sync = false, report = () => undefined, write, syncFile } = options
  const { checkpointFrom = DEFAULT_CHECKPOINT_FROM, maxRecordLength = MAX_RECORD_LENGTH } = options
  const log = new WriteAheadLog({ path: logPathOf(path), lock, report, sync, write, syncFile })
  const file = new StateFile(path, log, lock)
  const db = new Low(file, new StateData())
  await readFiles(db, file)
  const deps = { db, file, lock, checkpointFrom, maxRecordLength, report, sync }
  const committer = new DurableCommitter(deps, await file.size())
  const { tookOver: dead } = lock
  const loaded = {
    ...addUpRecords(listSandboxes(db.data)),
    journalEntries: file.found.entries,
    ...(dead && { tookOverFrom: { pid: dead.pid, host: dead.host, since: dead.since } }),
    warnings: describeMissingEntries(file, db.data.seq, dead),
  }
  return { store: new BaseStore(committer), loaded }
}

const READ_ONLY = 0o400

/**
 * Reads the state, and begins the log. The old log is made read-only before, so that a process that lost its lock
 * acknowledges no entry that is not read here. A missing state file is written at once, which proves that it can be
 * written.
 */
async function readFiles(db: Low<StateData>, file: StateFile): Promise<void> {
  const isPresent = findEntry(file.path) !== undefined
  const logPath = logPathOf(file.path)
  const found = findEntry(logPath)
  const isLog = found?.isFile() === true // a link is refused, and its file is left as it is
  if (isLog) await chmod(logPath, READ_ONLY).catch(() => undefined) // another user's is replaced
  try {
    await db.read()
    if (!isPresent) await db.write()
    await file.beginLog(db.data)
  } catch (error) {
    if (isLog) await chmod(logPath, found.mode).catch(() => undefined)
    throw error
  }
}

/** Says what is missing: a deleted log, the entry that was cut off, entries that a dead process had acknowledged. */
function describeMissingEntries(
  { path, found }: StateFile,
  seq: number,
  dead: LockHolder | undefined,
): readonly string[] {
  const { cutOff, isMissing } = found
  const acknowledged = dead?.acknowledged ?? 0
  const deleted =
    `The log ${logPathOf(path)} is missing: all changes that were acknowledged after entry ${seq} are lost, ` +
    'as by a deletion or a power failure.'
  const missing =
    `The log ends with entry ${seq}, and entry ${acknowledged} was acknowledged: ` +
    `${acknowledged - seq} acknowledged changes are lost, as by a power failure (see --sync) or a cut file.`
  return [
    ...(isMissing ? [deleted] : []),
    ...(cutOff === undefined ? [] : [`${cutOff}.`]),
    ...(seq < acknowledged ? [missing] : []),
  ]
}

/** Returns the sentence for a state that cannot be loaded. The file stays unchanged, since it may be the only copy. */
function unusableMessage(path: string, error: unknown): string {
  if (error instanceof StateFileError) {
    const { message } = error
    const place = message.startsWith(path) ? message : `${path} ${message}`
    const step = `Move it and ${basename(logPathOf(path))} away together, or choose another file with --state.`
    return `The state file ${place}. It was left as it is. ${step}`
  }
  return `The state in ${path} cannot be used (${reasonOf(error)}). Choose a place that can be written to, or :memory:.`
}
