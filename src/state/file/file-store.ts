/**
 * The state data in a file: a checkpoint with a write-ahead log beside it, and a lock.
 * `openFileStore` replays the log; `durable-committer.ts` appends to it, and writes the next checkpoint.
 */
import { existsSync, type Stats } from 'node:fs'
import { lstat, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Low } from 'lowdb'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import { BaseStore } from '../base-store.ts'
import { StateData } from '../memory/state-data.ts'
import { addUpRecords, listSandboxes } from '../queries.ts'
import type { SharedState } from '../shared-state.ts'
import type { StateSummary, Store } from '../store.ts'
import { CheckpointFile } from './checkpoint.ts'
import { DurableCommitter } from './durable-committer.ts'
import { createFolder } from './folder.ts'
import { type Checkpoint, emptyCheckpoint, FORMAT } from './format.ts'
import { type Lock, takeLock } from './lock.ts'
import type { LockHolder } from './lock-holder.ts'
import { markLog } from './log-mark.ts'
import { MAX_RECORD_LENGTH } from './record-length.ts'
import { type ReplayResult, replaceLogFile, replayLog } from './replay.ts'
import { StateFileError } from './state-file-error.ts'
import { type SyncFile, WriteAheadLog, type WriteBytes } from './write-ahead-log.ts'

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
  /** The largest length of a record in characters, for tests. Default: 2^27. */
  readonly maxRecordLength?: number
  /** True: a write is acknowledged once its change is on the disk, so that a power failure cannot lose it. Default: false. */
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
    const real = await resolveLinks(path)
    const fault = describeUnusable(await stat(real).catch(() => undefined))
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
async function resolveLinks(path: string): Promise<string> {
  const isPresent = await lstat(path).then(
    () => true,
    () => false,
  )
  if (!isPresent) return join(await realpath(dirname(path)), basename(path))
  return await realpath(path).catch((error: unknown) => {
    throw new StateFileError(`it is a link that leads nowhere: ${reasonOf(error)}`, { cause: error })
  })
}

function describeUnusable(found: Stats | undefined): string | undefined {
  if (found === undefined) return undefined
  if (!found.isFile()) return `it is ${describeKind(found)}, not a file`
  if (found.nlink === 1) return undefined
  return `it has ${found.nlink} names (hard links), and a second simulator could use it under another name; copy it to a file of its own`
}

function describeKind(found: Stats): string {
  if (found.isDirectory()) return 'a folder'
  return found.isFIFO() || found.isSocket() ? 'a pipe or socket' : 'a device'
}

function lockedMessage({ pid, host, since }: LockHolder, path: string): string {
  const who = `process ${pid} on ${host}, since ${since}`
  return `The state file ${path} is in use by ${who}. Stop that process, or choose another file, or :memory:. A second simulator needs a port of its own, too: --state :memory: --port 0.`
}

async function loadStore({ path, lock }: LockedFile, options: FileStoreOptions): Promise<OpenedStore> {
  const file = new CheckpointFile(path, () => lock.findLoss())
  const db = new Low<Checkpoint>(file, emptyCheckpoint())
  const isPresent = existsSync(path)
  await db.read()
  const { history, sandboxes, log: begun } = db.data
  const state = new StateData(sandboxes)
  const replayed = await replayLog(path, state, { ...db.data, isPresent })
  await updateFile(isPresent, db, state, replayed)
  const checkpointBytes = async () => (await stat(path)).size
  const committer = new DurableCommitter(
    {
      state,
      history,
      log: await openLog({ path, lock }, history, replayed, options),
      db,
      lock,
      stopPausing: () => file.stopPausing(),
      checkpointBytes,
      ...withDefaults(options),
    },
    await checkpointBytes(),
  )
  lock.onLoss((reason) => committer.lose(reason))
  const loaded = {
    ...addUpRecords(listSandboxes(state)),
    journalEntries: replayed.entries,
    ...tookOverFrom(lock.tookOver),
    warnings: [...findMissingFile(path, begun, replayed), ...findMissing(replayed, lock.tookOver)],
  }
  return { store: new BaseStore(committer), loaded }
}

function tookOverFrom(holder: LockHolder | undefined): Pick<LoadSummary, 'tookOverFrom'> {
  return holder === undefined
    ? {}
    : { tookOverFrom: { pid: holder.pid, host: holder.host, since: holder.since } }
}

/** Says that the log file `begun`, which the state file names, is missing. A deletion of all log files leaves no other trace. */
function findMissingFile(path: string, begun = 0, { seq, files }: ReplayResult): readonly string[] {
  if (begun === 0 || files.some(({ generation }) => generation === begun)) return []
  return [
    `The log file ${path}.journal.${begun} is missing: all changes that were acknowledged after entry ${seq} are lost, as by a deletion or a power failure.`,
  ]
}

/** Says what is missing from the end of the log: the entry that was cut off, and acknowledged entries. */
function findMissing({ seq, cutOff }: ReplayResult, dead: LockHolder | undefined): readonly string[] {
  const acknowledged = dead?.acknowledged ?? 0
  const missing = `The log ends with entry ${seq}, and entry ${acknowledged} was acknowledged: ${acknowledged - seq} acknowledged changes are lost, as by a power failure (see --sync) or a cut file.`
  return [...(cutOff === undefined ? [] : [`${cutOff}.`]), ...(seq < acknowledged ? [missing] : [])]
}

/**
 * Writes a file of an older format, and a missing file, at once. The latter proves that the file can be written. Then all log
 * entries of an older file are in it, so they are dropped.
 */
async function updateFile(
  isPresent: boolean,
  db: Low<Checkpoint>,
  state: StateData,
  { seq, files }: ReplayResult,
): Promise<void> {
  const isOld = db.data.format < FORMAT
  if (isOld) db.data = { ...db.data, format: FORMAT, seq, sandboxes: state.copySandboxes() }
  if (isOld || !isPresent) await db.write()
  if (isOld) for (const file of files) await rm(file.path, { force: true })
  db.data = emptyCheckpoint() // frees the memory: `StateData` has its own copy
}

/** Opens the log at the end of what was replayed. Drops files whose entries are all in the state file. */
async function openLog(
  { path, lock }: LockedFile,
  history: string,
  { seq, entries, files }: ReplayResult,
  { write, syncFile }: FileStoreOptions,
): Promise<WriteAheadLog> {
  const last = files.at(-1)
  const isNeeded = entries > 0 && last !== undefined && existsSync(last.path)
  markLog(path, isNeeded ? last.generation : 0) // before files are deleted, so that a crash leaves no mark of a missing file
  if (isNeeded) await replaceLogFile(last)
  else for (const file of files) await rm(file.path, { force: true })
  return new WriteAheadLog({
    base: path,
    history,
    seq,
    files: isNeeded ? files : [],
    findLoss: () => lock.findLoss(),
    write,
    syncFile,
  })
}

function withDefaults({
  checkpointFrom = DEFAULT_CHECKPOINT_FROM,
  maxRecordLength = MAX_RECORD_LENGTH,
  report = () => undefined,
  sync = false,
  fatal = (problem) => {
    throw new Error(problem)
  },
}: FileStoreOptions) {
  return { checkpointFrom, maxRecordLength, report, sync, fatal }
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
