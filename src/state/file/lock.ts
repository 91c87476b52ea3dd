import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  futimesSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { kill, pid as ownPid } from 'node:process'
import { isObject, parseJson } from '../../core/json.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { clearInterval, setInterval, sleep } from '../../core/timers.ts'
import { PRIVATE_FILE } from '../../documents/private-file.ts'
import { readOrdinaryFile, UnusableFileError } from '../../documents/read-file.ts'
import { findEntry, systemErrorCode } from './disk.ts'

/** The process that holds a lock, as recorded in the lock file. */
export interface LockHolder {
  readonly pid: number
  readonly host: string
  /** UTC. */
  readonly since: string
  /** The namespace of the pid: the machine's boot id and process namespace, or else the host's name. */
  readonly space: string
  /** The start of the process in clock ticks, by which a later process with the same pid differs. Empty: unknown. */
  readonly born: string
  /** The id of this acquisition of the lock. */
  readonly nonce: string
  /** The number of a log entry that the process had acknowledged half a second before it died, at least. 0: unknown. */
  readonly acknowledged: number
}

/** A holder touches its lock file this often, so that other machines and containers can see that it is alive. */
const HEARTBEAT_MS = 500

/** A holder on another machine or in another container is dead after this time without a touch. */
const HEARTBEAT_TIMEOUT_MS = 2500

/** Takes the lock, also from a dead holder. The error is a holder that is alive. Rejects if the disk refuses. */
export async function takeLock(path: string): Promise<Result<Lock, LockHolder>> {
  for (;;) {
    const holder = readHolder(path)
    const isAlive = holder?.space === pidNamespace() ? isRunning(holder) : holder && (await isTouched(path, holder))
    if (holder !== undefined && isAlive) return failure(holder)
    const lock = holder === undefined ? createLock(path) : await takeOver(path, holder)
    if (lock !== undefined) return success(lock)
  }
}

/** A lock that this process holds. */
export class Lock {
  #path: string
  /** The process that died while it held the lock, or undefined if the lock was free. */
  tookOver: LockHolder | undefined
  readonly #own = {
    pid: ownPid,
    host: hostname(),
    since: new Date().toISOString(),
    space: pidNamespace(),
    born: readStat(ownPid)[19] ?? '',
    nonce: randomUUID(),
  }
  readonly #fd: number
  readonly #heartbeat: NodeJS.Timeout
  /** The number of the last acknowledged log entry, which each heartbeat writes. */
  acknowledged = 0
  /** Looks for a loss of what the lock protects, by which the heartbeat ends. Default: that of the lock alone. */
  findUserLoss = (): string | undefined => this.findLoss()

  /** Creates the lock file. Fails with `EEXIST` if there is a file or a link. */
  constructor(path: string) {
    this.#path = path
    this.#fd = openSync(path, 'wx', PRIVATE_FILE)
    try {
      this.#write()
    } catch (error) {
      if (fstatSync(this.#fd).nlink > 0) rmSync(path, { force: true }) // unless another process took it over
      closeSync(this.#fd)
      throw error
    }
    this.#heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS)
    this.#heartbeat.unref()
  }

  /** Writes the holder over itself: the number has as many digits as the largest, so that no reader sees a part. */
  #write(): void {
    const acknowledged = String(this.acknowledged).padStart(String(Number.MAX_SAFE_INTEGER).length, '0')
    const bytes = Buffer.from(JSON.stringify({ ...this.#own, acknowledged }))
    if (writeSync(this.#fd, bytes, 0, bytes.length, 0) < bytes.length) throw new Error('its lock file was cut')
    const now = new Date()
    futimesSync(this.#fd, now, now) // a file system in a network can write later
  }

  /** Marks the lock file as that of a live process. It never writes into the file of one that took the lock over. */
  beat(): void {
    try {
      if (this.findUserLoss() === undefined) this.#write()
      else clearInterval(this.#heartbeat)
    } catch {
      // The next heartbeat may succeed.
    }
  }

  /** Makes this lock file that of another lock, in place of the file of a dead holder. */
  replace(path: string, dead: LockHolder): void {
    renameSync(this.#path, path)
    this.#path = path
    this.tookOver = dead
  }

  /** Reads the lock file, and says why this process no longer holds the lock. Returns undefined while it does. */
  findLoss(): string | undefined {
    const path = this.#path
    let holder: LockHolder | undefined
    try {
      holder = readHolder(path)
    } catch (error) {
      // Transient, such as too many open files.
      if (systemErrorCode(error) !== undefined || error instanceof UnusableFileError) return undefined
    }
    if (holder?.nonce === this.#own.nonce) return undefined
    if (holder === UNKNOWN) return `another program took over its lock file ${path}`
    if (holder !== undefined) return `process ${holder.pid} on ${holder.host} took over its lock file ${path}`
    const folder = dirname(path)
    return existsSync(folder) ? `its lock file ${path} was removed` : `its folder ${folder} was removed`
  }

  release(): void {
    clearInterval(this.#heartbeat)
    try {
      if (this.findLoss() === undefined) rmSync(this.#path, { force: true })
    } catch {
      // In a folder that has become read-only the file stays, as that of a dead process.
    }
    closeSync(this.#fd)
  }
}

/** Creates a lock file. Returns undefined if another process was faster. */
function createLock(path: string): Lock | undefined {
  try {
    const lock = new Lock(path)
    if (lock.findLoss() === undefined) return lock
    lock.release() // another process took it over while it was half written
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
  return undefined
}

/**
 * Replaces the lock file of a dead holder by that of a second lock, named after the dead holder's nonce: of two
 * processes that saw the same dead holder, the second waits for that lock, finds another holder, and fails. Returns
 * undefined if another process was faster.
 */
async function takeOver(path: string, dead: LockHolder): Promise<Lock | undefined> {
  const guard = await takeLock(`${path}.${dead.nonce}`)
  if (!guard.ok) return sleep(20).then(() => undefined)
  const lock = guard.value
  try {
    if (readHolder(path)?.nonce === dead.nonce) lock.replace(path, dead)
    return lock.tookOver === dead ? lock : undefined
  } finally {
    if (lock.tookOver !== dead) lock.release()
  }
}

/** The holder of a file that is half written, or written by another program. */
const UNKNOWN: LockHolder = { pid: 0, host: '', since: '', space: '', born: '', nonce: 'unknown', acknowledged: 0 }

/** Reads the lock file, if there is one. */
function readHolder(path: string): LockHolder | undefined {
  try {
    const value = parseJson(readOrdinaryFile(path).toString('utf8'))
    if (!isObject(value) || typeof value['pid'] !== 'number' || typeof value['nonce'] !== 'string') return UNKNOWN
    if (!/^[\w-]{1,64}$/.test(value['nonce'])) return UNKNOWN // it becomes a part of a file name
    return { ...(value as unknown as LockHolder), acknowledged: Number(value['acknowledged']) || 0 }
  } catch (error) {
    if (error instanceof UnusableFileError) throw new UnusableFileError(`its lock file ${path} ${error.message}`)
    if (systemErrorCode(error) !== 'ENOENT') throw error
    if (findEntry(path)?.isSymbolicLink()) throw new Error(`${path} is a link that leads nowhere`)
    return undefined
  }
}

/** Returns true if the holder runs in this process namespace, and not only waits for its parent as a zombie (`Z`). */
function isRunning({ pid, born }: LockHolder): boolean {
  const { 0: state, 19: start = born } = readStat(pid) // an unknown start counts as the same
  if (pid <= 0 || start !== born || state === 'Z') return false
  try {
    return kill(pid, 0)
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
}

/** Watches the lock file for a touch. The time of the last touch does not suffice, since clocks of machines differ. */
async function isTouched(path: string, holder: LockHolder): Promise<boolean> {
  const before = findEntry(path)?.mtimeMs
  for (let waited = 0; waited < HEARTBEAT_TIMEOUT_MS; waited += HEARTBEAT_MS / 5) {
    await sleep(HEARTBEAT_MS / 5)
    if (findEntry(path)?.mtimeMs !== before) return readHolder(path)?.nonce === holder.nonce
  }
  return false
}

/** Returns the namespace of pids: the machine's boot id and process namespace, or else the host's name. */
function pidNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname() // not Linux
  }
}

/**
 * Returns the fields of `/proc/PID/stat` from the third on, since the name before may have spaces: the state first, and
 * the start in clock ticks at index 19. Empty: unknown.
 */
function readStat(pid: number): string[] {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
