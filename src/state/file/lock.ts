import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, futimesSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { readFile, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { kill, pid as ownPid } from 'node:process'
import { isObject, parseJson } from '../../core/json.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { clearInterval, setInterval, sleep } from '../../core/timers.ts'
import { PRIVATE_FILE } from '../../documents/private-file.ts'
import { systemErrorCode } from './disk.ts'
import { pidNamespace, processStart } from './process-identity.ts'

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

/** The place in the lock file of the number of acknowledged entries, which a heartbeat overwrites. */
const ACKNOWLEDGED_AT = '{"acknowledged":"'.length

/** Returns a number with as many digits as the largest has. */
function formatNumber(value: number): string {
  return String(value).padStart(String(Number.MAX_SAFE_INTEGER).length, '0')
}

/** Takes the lock, also from a dead holder. The error is a holder that is alive. Rejects if the disk refuses. */
export async function takeLock(path: string): Promise<Result<Lock, LockHolder>> {
  for (;;) {
    const created = createLockFile(path)
    if (created !== undefined) return success(new Lock(path, created))
    const holder = await readHolder(path)
    if (holder === undefined) continue // released just now
    if (await isAlive(path, holder)) return failure(holder)
    const taken = await takeOver(path, holder)
    if (taken !== undefined) return success(new Lock(path, taken, holder))
  }
}

/** A lock file that this process created. */
interface OwnFile {
  readonly nonce: string
  readonly fd: number
}

/** A lock that this process holds. */
export class Lock {
  readonly #path: string
  readonly #file: OwnFile
  readonly #heartbeat: NodeJS.Timeout
  /** The process that died while it held the lock, or undefined if the lock was free. */
  readonly tookOver: LockHolder | undefined
  #user: LockUser | undefined

  constructor(path: string, file: OwnFile, tookOver?: LockHolder) {
    this.#path = path
    this.#file = file
    this.tookOver = tookOver
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS)
    this.#heartbeat.unref()
  }

  /** Marks the lock file as that of a live process. It never writes into the file of one that took the lock over. */
  #beat(): void {
    if ((this.#user ?? this).findLoss() !== undefined) {
      clearInterval(this.#heartbeat)
      return
    }
    const now = new Date()
    try {
      writeSync(this.#file.fd, formatNumber(this.#user?.acknowledged ?? 0), ACKNOWLEDGED_AT)
      futimesSync(this.#file.fd, now, now)
    } catch {
      // The next heartbeat may succeed.
    }
  }

  /** Begins to write the number of the last acknowledged log entry, and to look for a loss, with each heartbeat. */
  serve(user: LockUser): void {
    this.#user = user
    this.#beat()
  }

  /** Reads the lock file, and says why this process no longer holds the lock. Returns undefined while it does. */
  findLoss(): string | undefined {
    const path = this.#path
    try {
      const holder = parseHolder(readFileSync(path, 'utf8'))
      if (holder?.nonce === this.#file.nonce) return undefined
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
    if (this.findLoss() === undefined) await rm(this.#path, { force: true })
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
    const temporary = `${path}.${randomUUID()}`
    const own = createLockFile(temporary)
    await rename(temporary, path)
    return own
  } finally {
    await guard.value.release()
  }
}

/**
 * Creates a lock file that names this process. Returns undefined if there is a file or a link. A process that is killed
 * before it has written the content leaves an unreadable file, which counts as that of a dead process.
 */
function createLockFile(path: string): OwnFile | undefined {
  const own = describeOwnProcess()
  let fd: number
  try {
    fd = openSync(path, 'wx', PRIVATE_FILE)
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return undefined
    throw error
  }
  try {
    writeFileSync(fd, JSON.stringify({ ...own, acknowledged: formatNumber(0) }))
    return { nonce: own.nonce, fd }
  } catch (error) {
    closeSync(fd)
    rmSync(path, { force: true })
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
      if (systemErrorCode(error) === 'ENOENT') return undefined
      throw error
    }
    await sleep(20)
  }
  return { pid: 0, host: '', since: '', space: '', born: '', nonce: 'unreadable', acknowledged: 0 }
}

/** Parses the content of a lock file. Returns undefined if it is half written, or written by another program. */
function parseHolder(content: string): LockHolder | undefined {
  const value = parseJson(content)
  if (!isObject(value) || typeof value['pid'] !== 'number' || typeof value['nonce'] !== 'string') return undefined
  return { ...(value as unknown as LockHolder), acknowledged: Number(value['acknowledged']) || 0 }
}

async function isAlive(path: string, holder: LockHolder): Promise<boolean> {
  if (holder.space !== pidNamespace()) return await isTouched(path, holder)
  const born = processStart(holder.pid)
  return processExists(holder.pid) && (born === holder.born || born === '') // an unknown start counts as alive
}

/** Watches the lock file for a touch. The time of the last touch does not suffice, since clocks of machines differ. */
async function isTouched(path: string, holder: LockHolder): Promise<boolean> {
  const readTouchTime = async () => (await stat(path).catch(() => undefined))?.mtimeMs
  const before = await readTouchTime()
  for (let waited = 0; waited < HEARTBEAT_TIMEOUT_MS; waited += HEARTBEAT_MS / 5) {
    await sleep(HEARTBEAT_MS / 5)
    if ((await readTouchTime()) !== before) return (await readHolder(path))?.nonce === holder.nonce
  }
  return false
}

/** Returns true if a process of this pid runs in this process namespace. */
function processExists(pid: number): boolean {
  if (pid <= 0) return false
  try {
    kill(pid, 0)
    return true
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
}

/** Describes this process as a holder, with a new nonce. */
function describeOwnProcess(): LockHolder {
  return {
    acknowledged: 0, // the first member, at ACKNOWLEDGED_AT
    pid: ownPid,
    host: hostname(),
    since: new Date().toISOString(),
    space: pidNamespace(),
    born: processStart(ownPid),
    nonce: randomUUID(),
  }
}
