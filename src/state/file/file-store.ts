import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Low } from 'lowdb'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import { BaseStore } from '../base-store.ts'
import { StateData } from '../memory/state-data.ts'
import { countRecords } from '../queries.ts'
import type { Store } from '../store.ts'
import { CheckpointFile } from './checkpoint.ts'
import { DurableCommitter } from './durable-committer.ts'
import { makeFolder } from './folder.ts'
import type { Checkpoint } from './format.ts'
import { type Lock, type LockHolder, takeLock } from './lock.ts'
import { replayLog } from './replay.ts'
import { StateFileError } from './state-file-error.ts'
import { type LogFile, WriteAheadLog, type WriteBytes } from './write-ahead-log.ts'

export interface FileStoreOptions {
  /** Told of what fails in the background, e.g. that a checkpoint could not be written. Default: nobody. */
  readonly report?: (problem: string) => void
  /** Bytes of journal from which on folding it into the state file can pay. Default 4 MiB. */
  readonly checkpointFrom?: number
  /** How the journal's bytes get to the disk. Default: the system's own write. For tests. */
  readonly write?: WriteBytes
}

/** What was found in the file. */
export interface LoadSummary {
  readonly sandboxes: number
  readonly events: number
  readonly prompts: number
  /** Entries of the journal that were not in the state file yet: more than none after a stop that was not graceful. */
  readonly journalEntries: number
  /** The process that died holding the lock. Absent: the lock was free. */
  readonly tookOverFrom?: { readonly pid: number; readonly host: string; readonly since: string }
}

/** A store that is ready for use, and the counts of the records that it was opened with. */
export interface OpenedStore {
  readonly store: Store
  readonly loaded: LoadSummary
}

const CHECKPOINT_FROM = 4 * 1024 * 1024

/** Opens the state in this file, or begins it. While it is open no other process can. */
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
  /** Absolute, with links resolved. */
  readonly path: string
  readonly lock: Lock
}

async function lockFile(path: string): Promise<Result<LockedFile>> {
  try {
    await makeFolder(dirname(path))
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
  const db = new Low<Checkpoint>(file, { seq: 0, sandboxes: [] })
  await db.read()
  const data = new StateData(db.data.sandboxes)
  const { seq, entries, files } = await replayLog(path, data, db.data.seq)
  await beginFile(path, db)
  const log = await openLog(path, files, entries, options.write)
  const checkpointBytes = async () => (await stat(path)).size
  const parts = {
    state: data,
    seq,
    log,
    db,
    stopPausing: () => file.stopPausing(),
    checkpointBytes,
    ...settingsOf(options),
    release: lock.release,
  }
  const store = new BaseStore(new DurableCommitter(parts, await checkpointBytes()))
  const loaded = {
    ...countRecords(data),
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

/** Writing the empty state at once shows the person the file, and us whether it can be written. */
async function beginFile(path: string, db: Low<Checkpoint>): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  if (!exists) await db.write()
  db.data = { seq: 0, sandboxes: [] } // the world has taken over what was read
}

async function openLog(path: string, files: readonly LogFile[], entries: number, write?: WriteBytes) {
  const log = new WriteAheadLog(path, files, write)
  if (entries === 0) await log.dropOld() // the process died after the checkpoint and before this
  return log
}

function settingsOf({ checkpointFrom = CHECKPOINT_FROM, report = () => undefined }: FileStoreOptions) {
  return { checkpointFrom, report }
}

/** A file that we do not understand may be somebody's only copy, so it stays where it is and the start is refused. */
function unusableMessage(path: string, error: unknown): string {
  if (error instanceof StateFileError) {
    const { message } = error
    const place = message.startsWith(path) ? message : `${path} ${message}`
    return `The state file ${place}. It was left as it is. Move it away, or choose another file with --state.`
  }
  return `The state in ${path} cannot be used (${reasonOf(error)}). Choose a place that can be written to, or :memory:.`
}
