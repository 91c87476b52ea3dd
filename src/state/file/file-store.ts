/**
 * The state data in a file: a checkpoint with a write-ahead log beside it, and a lock.
 * `openFileStore` replays the log; `durable-committer.ts` appends to it, and writes the next checkpoint.
 */
import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Low } from 'lowdb'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import { BaseStore } from '../base-store.ts'
import { StateData } from '../memory/state-data.ts'
import { countRecords } from '../queries.ts'
import type { StateSummary, Store } from '../store.ts'
import { CheckpointFile } from './checkpoint.ts'
import { DurableCommitter } from './durable-committer.ts'
import { createFolder } from './folder.ts'
import { type Checkpoint, EMPTY_CHECKPOINT } from './format.ts'
import { type Lock, type LockHolder, takeLock } from './lock.ts'
import { replayLog } from './replay.ts'
import { StateFileError } from './state-file-error.ts'
import { type LogFile, WriteAheadLog, type WriteBytes } from './write-ahead-log.ts'

/** The options of a store in a file. */
export interface FileStoreOptions {
  /** Receives a sentence about each failure in the background, such as that of a checkpoint. Default: no effect. */
  readonly report?: (problem: string) => void
  /**
   * Receives a sentence if a change is stored but cannot be applied in memory, and ends the process. Default: throws an error
   * with the sentence. Every later write is refused with that sentence, too.
   */
  readonly fatal?: (problem: string) => never
  /** The size of the log, in bytes, below which no checkpoint is written before the store closes. Default: 4 MiB. */
  readonly checkpointFrom?: number
  /** Writes bytes to the log, for tests. Default: `writeSync` of Node. */
  readonly write?: WriteBytes
}

/** The numbers of records that a store was opened with. */
export interface LoadSummary extends StateSummary {
  /** The number of log entries that were not in the state file. Above 0: the last stop was not graceful. */
  readonly journalEntries: number
  /** The process that died holding the lock. Absent: the lock was free. */
  readonly tookOverFrom?: { readonly pid: number; readonly host: string; readonly since: string }
}

/** A store that is ready for use. */
export interface OpenedStore {
  readonly store: Store
  readonly loaded: LoadSummary
}

const DEFAULT_CHECKPOINT_FROM = 4 * 1024 * 1024

/** Opens the store in a file; creates a missing file. No other process can open the file until the store is closed. */
export async function openFileStore(
  path: string,
  options: FileStoreOptions = {},
): Promise<Result<OpenedStore>> {
  const locked = await lockFile(resolve(path))
  if (!locked.ok) return locked
  const file = locked.value
  try {
    return success(await loadStore(file, options))
  } catch (error) {
    await file.lock.release()
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
    await createFolder(dirname(path))
    const real = await realpath(path).catch(() => path)
    const found = await stat(real).catch(() => undefined)
    if (found !== undefined && !found.isFile())
      throw new StateFileError(`it is ${describeKind(found)}, not a file`)
    const lock = await takeLock(`${real}.lock`)
    return lock.ok ? success({ path: real, lock: lock.value }) : failure(lockedMessage(lock.error, real))
  } catch (error) {
    return failure(
      `The state cannot be kept in ${path} (${reasonOf(error)}). Choose a place that can be written to, or :memory:.`,
    )
  }
}

function describeKind(found: Stats): string {
  if (found.isDirectory()) return 'a folder'
  return found.isFIFO() || found.isSocket() ? 'a pipe or socket' : 'a device'
}

function lockedMessage({ pid, host, since }: LockHolder, path: string): string {
  const who = `process ${pid} on ${host}, since ${since}`
  return `The state file ${path} is in use by ${who}. Stop that process, or choose another file, or :memory:.`
}

async function loadStore({ path, lock }: LockedFile, options: FileStoreOptions): Promise<OpenedStore> {
  const file = new CheckpointFile(path)
  const db = new Low<Checkpoint>(file, EMPTY_CHECKPOINT)
  await db.read()
  const state = new StateData(db.data.sandboxes)
  const { seq, entries, files } = await replayLog(path, state, db.data.seq)
  await createFileIfMissing(path, db)
  const log = await openLog(path, files, entries, options.write)
  const checkpointBytes = async () => (await stat(path)).size
  const deps = {
    state,
    seq,
    log,
    db,
    stopPausing: () => file.stopPausing(),
    checkpointBytes,
    ...withDefaults(options),
    release: lock.release,
  }
  const store = new BaseStore(new DurableCommitter(deps, await checkpointBytes()))
  const loaded = {
    ...countRecords(state),
    journalEntries: entries,
    ...tookOverFrom(lock.tookOver),
  }
  return { store, loaded }
}

function tookOverFrom(holder: LockHolder | undefined): Pick<LoadSummary, 'tookOverFrom'> {
  return holder === undefined
    ? {}
    : { tookOverFrom: { pid: holder.pid, host: holder.host, since: holder.since } }
}

/** Writes the empty state to a missing file at once, which proves that the file can be written. */
async function createFileIfMissing(path: string, db: Low<Checkpoint>): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  if (!exists) await db.write()
  db.data = EMPTY_CHECKPOINT // frees the memory: `StateData` has its own copy
}

async function openLog(path: string, files: readonly LogFile[], entries: number, write?: WriteBytes) {
  const log = new WriteAheadLog(path, files, write)
  if (entries === 0) await log.dropOld() // the process died after a checkpoint and before dropping the log
  return log
}

function withDefaults({
  checkpointFrom = DEFAULT_CHECKPOINT_FROM,
  report = () => undefined,
  fatal = (problem) => {
    throw new Error(problem)
  },
}: FileStoreOptions) {
  return { checkpointFrom, report, fatal }
}

/** Returns the sentence for a state that cannot be loaded. The file stays unchanged, since it may be the only copy. */
function unusableMessage(path: string, error: unknown): string {
  if (error instanceof StateFileError) {
    const { message } = error
    const place = message.startsWith(path) ? message : `${path} ${message}`
    return `The state file ${place}. It was left as it is. Move it away, or choose another file with --state.`
  }
  return `The state in ${path} cannot be used (${reasonOf(error)}). Choose a place that can be written to, or :memory:.`
}
