import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { kill, pid as ownPid } from 'node:process'
import { isObject, parseJson } from '../../base/core/json.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { sleep } from '../../base/core/timers.ts'
import { PRIVATE_FILE } from '../../base/documents/private-file.ts'
import { readRegularFile, UnusableFileError } from '../../base/documents/read-file.ts'
import { findEntry, statOpenFile, systemErrorCode } from './disk.ts'

export interface LockHolder {
  readonly pid: number
  /** The time at which the lock was acquired, in UTC. */
  readonly since: string
  /** The start time of the process in clock ticks, to detect a reused pid; empty if unknown. */
  readonly born: string
  /** The ID of this acquisition of the lock. */
  readonly nonce: string
}

/** Acquires the lock, or takes it over from a dead holder. Fails with the holder if that process is still running. */
export async function takeLock(path: string): Promise<Result<Lock, LockHolder>> {
  for (;;) {
    const holder = readHolder(path)
    if (holder !== undefined && isRunning(holder)) return failure(holder)
    const lock = holder === undefined ? createLock(path) : await takeOver(path, holder)
    if (lock !== undefined) return success(lock)
  }
}

/** A lock held by this process. The lock file stays open, so that no other file gets its inode. */
export class Lock {
  #path: string
  readonly #fd: number
  readonly #inode: number
  deadHolder: LockHolder | undefined

  /** Creates the lock file. Throws `EEXIST` if a file or a link already exists at the path. */
  constructor(path: string) {
    this.#path = path
    this.#fd = openSync(path, 'wx', PRIVATE_FILE)
    this.#inode = fstatSync(this.#fd).ino
    const born = readStat(ownPid)[19] ?? ''
    const holder: LockHolder = { pid: ownPid, since: new Date().toISOString(), born, nonce: randomUUID() }
    try {
      writeSync(this.#fd, JSON.stringify(holder))
    } catch (error) {
      this.release()
      throw error
    }
  }

  /** Moves this lock file to `path`, where it replaces the lock file of a dead holder. */
  moveTo(path: string, dead: LockHolder): void {
    renameSync(this.#path, path)
    this.#path = path
    this.deadHolder = dead
  }

  /** Returns why this process no longer holds the lock; undefined while it holds the lock. */
  findLoss(): string | undefined {
    const found = statOpenFile(this.#path, this.#inode)
    return typeof found === 'string' ? `its lock file ${found}` : undefined
  }

  release(): void {
    try {
      if (this.findLoss() === undefined) rmSync(this.#path, { force: true })
    } catch {
      // If the folder has become read-only, the file stays behind, like the lock of a dead process.
    }
    closeSync(this.#fd)
  }
}

function createLock(path: string): Lock | undefined {
  try {
    const lock = new Lock(path)
    if (lock.findLoss() === undefined) return lock
    lock.release() // another process replaced the incomplete file
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
  return undefined
}

/**
 * Replaces the lock file of a dead holder with the file of a second lock, which is named after the dead holder's nonce.
 * If two processes find the same dead holder, only one acquires the second lock; the other waits, and `takeLock` then
 * finds the new holder. Returns undefined if another process was faster.
 */
async function takeOver(path: string, dead: LockHolder): Promise<Lock | undefined> {
  const guard = await takeLock(`${path}.${dead.nonce}`)
  if (!guard.ok) return sleep(20).then(() => undefined)
  const lock = guard.value
  try {
    if (readHolder(path)?.nonce === dead.nonce) lock.moveTo(path, dead)
    return lock.deadHolder === dead ? lock : undefined
  } finally {
    if (lock.deadHolder !== dead) lock.release()
  }
}

/** A placeholder for the holder of a lock file that is incomplete or was written by another program. */
const UNKNOWN: LockHolder = { pid: 0, since: '', born: '', nonce: 'unknown' }

function readHolder(path: string): LockHolder | undefined {
  try {
    const value = parseJson(readRegularFile(path).toString('utf8'))
    if (!isObject(value) || typeof value['pid'] !== 'number' || typeof value['nonce'] !== 'string') return UNKNOWN
    if (!/^[\w-]{1,64}$/.test(value['nonce'])) return UNKNOWN // the nonce becomes part of a file name
    return value as unknown as LockHolder
  } catch (error) {
    if (error instanceof UnusableFileError) throw new UnusableFileError(`its lock file ${path} ${error.message}`)
    if (systemErrorCode(error) !== 'ENOENT') throw error
    if (findEntry(path)?.isSymbolicLink()) throw new Error(`${path} is a dangling link`)
    return undefined
  }
}

/** Returns true if the holder is still running on this machine and is not a zombie (`Z`). */
function isRunning({ pid, born }: LockHolder): boolean {
  const { 0: state, 19: start = born } = readStat(pid) // an unreadable start time counts as a match
  if (pid <= 0 || start !== born || state === 'Z') return false
  try {
    return kill(pid, 0)
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
}

/** Returns the fields of `/proc/PID/stat` after the process name (0: state, 19: start time); empty if unreadable. */
function readStat(pid: number): string[] {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Returns the user ID of this process; undefined on Windows. */
export const processUid = () => process.getuid?.()
