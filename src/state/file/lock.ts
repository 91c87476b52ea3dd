import { closeSync, existsSync, readFileSync } from 'node:fs'
import { link, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { failure, type Result, success } from '../../core/result.ts'
import { clearInterval, setInterval, sleep } from '../../core/timers.ts'
import { findEntry, systemErrorCode } from './disk.ts'
import {
  describeOwnProcess,
  type LockHolder,
  parseHolder,
  pidNamespace,
  processExists,
  processStart,
  touch,
  writeHolder,
} from './lock-holder.ts'

/** The user of a lock. */
export interface LockUser {
  /** The number of the last acknowledged log entry. */
  readonly acknowledged: number
  /** Says why the files are not this process's any more, or returns undefined. */
  findLoss(): string | undefined
}

/** A holder touches its lock file this often, so that other machines and containers can see that it is alive. */
const HEARTBEAT_MS = 500

/** A holder on another machine or in another container is dead after this time without a touch. */
const HEARTBEAT_TIMEOUT_MS = 2500

/** A lock file that this process created. */
interface OwnFile {
  readonly own: LockHolder
  readonly path: string
  readonly fd: number
}

/** Takes the lock, also from a dead holder. The error is a holder that is alive. Rejects if the disk refuses. */
export async function takeLock(path: string): Promise<Result<Lock, LockHolder>> {
  for (;;) {
    const created = await createLockFile(path)
    if (created !== undefined) return success(new Lock(created))
    const holder = await readHolder(path)
    if (holder === undefined) continue // released just now
    if (await isAlive(path, holder)) return failure(holder)
    const taken = await takeOver(path, holder)
    if (taken !== undefined) return success(new Lock(taken, holder))
  }
}

/** A lock that this process holds. */
export class Lock {
  readonly #file: OwnFile
  readonly #heartbeat: NodeJS.Timeout
  /** The process that died while it held the lock, or undefined if the lock was free. */
  readonly tookOver: LockHolder | undefined
  #user: LockUser | undefined

  constructor(file: OwnFile, tookOver?: LockHolder) {
    this.#file = file
    this.tookOver = tookOver
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS)
    this.#heartbeat.unref()
  }

  #beat(): void {
    if ((this.#user ?? this).findLoss() === undefined) touch(this.#file.fd, this.#user?.acknowledged ?? 0)
    else clearInterval(this.#heartbeat)
  }

  /** Begins the heartbeats. Each writes the number of the last acknowledged log entry, and looks for a loss. */
  serve(user: LockUser): void {
    this.#user = user
    this.#beat()
  }

  /** Reads the lock file, and says why this process no longer holds the lock. Returns undefined while it does. */
  findLoss(): string | undefined {
    const { path, own } = this.#file
    try {
      const holder = parseHolder(readFileSync(path, 'utf8'))
      if (holder?.nonce === own.nonce) return undefined
      const who = holder === undefined ? 'another program' : `process ${holder.pid} on ${holder.host}`
      return `${who} took over its lock file ${path}`
    } catch (error) {
      // Others pass, such as too many open files.
      if (systemErrorCode(error) !== 'ENOENT') return undefined
      const folder = dirname(path)
      return existsSync(folder) ? `its lock file ${path} was removed` : `its folder ${folder} was removed`
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat)
    if (this.findLoss() === undefined) await rm(this.#file.path, { force: true })
    closeSync(this.#file.fd)
  }
}

/**
 * Replaces the lock file of a dead holder. A second lock, named after the dead holder's nonce, guards the replacement:
 * of two processes that saw the same dead holder, the second finds another holder and fails. Returns undefined if
 * another process was faster.
 */
async function takeOver(path: string, dead: LockHolder): Promise<OwnFile | undefined> {
  const guard = await takeLock(`${path}.${dead.nonce}`)
  if (!guard.ok) {
    await sleep(20)
    return undefined
  }
  try {
    if ((await readHolder(path))?.nonce !== dead.nonce) return undefined
    const own = describeOwnProcess()
    const temporary = `${path}.${own.nonce}`
    const fd = writeHolder(temporary, own)
    await rename(temporary, path)
    return { own, path, fd }
  } finally {
    await guard.value.release()
  }
}

/** Creates the lock file with its content in one step. Returns undefined if the file exists. */
async function createLockFile(path: string): Promise<OwnFile | undefined> {
  const own = describeOwnProcess()
  const temporary = `${path}.${own.nonce}`
  const fd = writeHolder(temporary, own)
  try {
    await link(temporary, path)
    return { own, path, fd }
  } catch (error) {
    closeSync(fd)
    if (systemErrorCode(error) === 'EEXIST') return undefined
  } finally {
    await rm(temporary, { force: true })
  }
  try {
    return { own, path, fd: writeHolder(path, own) } // on a file system without hard links
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return undefined
    throw error
  }
}

/** Reads the lock file, if there is one. A file that stays unreadable counts as that of a dead process. */
async function readHolder(path: string): Promise<LockHolder | undefined> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    try {
      const holder = parseHolder(await readFile(path, 'utf8'))
      if (holder !== undefined) return holder
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error
      if (findEntry(path)?.isSymbolicLink()) throw new Error(`${path} is a link that leads nowhere`)
      return undefined
    }
    await sleep(20)
  }
  return { pid: 0, host: '', since: '', space: '', born: '', nonce: 'unreadable', acknowledged: 0 }
}

async function isAlive(path: string, holder: LockHolder): Promise<boolean> {
  if (holder.space !== pidNamespace()) return await isTouched(path, holder)
  const born = processStart(holder.pid)
  return processExists(holder.pid) && (born === holder.born || born === '') // an unknown start counts as alive
}

/** Watches the lock file for a touch. The time of the last touch does not suffice, since clocks of machines differ. */
async function isTouched(path: string, holder: LockHolder): Promise<boolean> {
  const before = await readTouchTime(path)
  for (let waited = 0; waited < HEARTBEAT_TIMEOUT_MS; waited += HEARTBEAT_MS / 5) {
    await sleep(HEARTBEAT_MS / 5)
    if ((await readTouchTime(path)) !== before) return (await readHolder(path))?.nonce === holder.nonce
  }
  return false
}

async function readTouchTime(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs
}
