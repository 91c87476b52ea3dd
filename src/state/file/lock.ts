import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { kill, pid as ownPid } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../../core/json.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { systemErrorCode } from './state-file-error.ts'

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
}

/** A lock that this process holds. */
export interface Lock {
  /** The process that died while it held the lock. Absent: the lock was free. */
  readonly tookOver?: LockHolder
  readonly release: () => Promise<void>
}

/** A holder touches its lock file this often, so that other machines and containers can see that it is alive. */
const HEARTBEAT_MS = 500

/** A holder on another machine or in another container is dead after this time without a touch. */
const HEARTBEAT_TIMEOUT_MS = 2500

/** Takes the lock, also from a dead holder. The error is the holder that is alive. Rejects if the file system refuses. */
export async function takeLock(path: string): Promise<Result<Lock, LockHolder>> {
  const own = describeOwnProcess()
  for (;;) {
    if (await createLockFile(path, own)) return success(holdLock(path, own))
    const holder = await readHolder(path)
    if (holder === undefined) continue // released just now
    if (await isAlive(path, holder)) return failure(holder)
    if (await takeOver(path, holder, own)) return success(holdLock(path, own, holder))
  }
}

function holdLock(path: string, own: LockHolder, tookOver?: LockHolder): Lock {
  const heartbeat = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => undefined) // the next heartbeat may succeed
  }, HEARTBEAT_MS)
  heartbeat.unref()
  const release = async () => {
    clearInterval(heartbeat)
    if ((await readHolder(path))?.nonce === own.nonce) await rm(path, { force: true })
  }
  return { release, ...(tookOver && { tookOver }) }
}

/**
 * Replaces the lock file of a dead holder. A second lock, named after the dead holder's nonce, guards the replacement: of two
 * processes that saw the same dead holder, the second finds another holder and fails. True: this process holds the lock.
 */
async function takeOver(path: string, dead: LockHolder, own: LockHolder): Promise<boolean> {
  const guard = await takeLock(`${path}.${dead.nonce}`)
  if (!guard.ok) {
    await sleep(20)
    return false
  }
  try {
    if ((await readHolder(path))?.nonce !== dead.nonce) return false
    const temporary = `${path}.${own.nonce}`
    await writeFile(temporary, JSON.stringify(own))
    await rename(temporary, path)
    return true
  } finally {
    await guard.value.release()
  }
}

/** Creates the lock file with its content atomically, so that no process reads half of it. False: the file exists. */
async function createLockFile(path: string, own: LockHolder): Promise<boolean> {
  const temporary = `${path}.${own.nonce}`
  const content = JSON.stringify(own)
  await writeFile(temporary, content, { flag: 'wx' })
  try {
    await link(temporary, path)
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    return await createWithoutLink(path, content)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Creates the lock file on a file system without hard links. False: the file exists. */
async function createWithoutLink(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx' })
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Reads the lock file. A file that stays unreadable is treated as that of a dead process. Undefined: the lock is free. */
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
  return { pid: 0, host: '', since: '', space: '', born: '', nonce: 'unreadable' }
}

function parseHolder(content: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(content)
    if (!isObject(value)) return undefined
    const { pid, host, since, space, born, nonce } = value
    if (typeof pid !== 'number' || typeof nonce !== 'string') return undefined
    return { pid, host: String(host), since: String(since), space: String(space), born: String(born), nonce }
  } catch {
    return undefined // half written, or written by another program
  }
}

async function isAlive(path: string, holder: LockHolder): Promise<boolean> {
  const self = describeOwnProcess()
  if (holder.space !== self.space) return await isTouched(path, holder)
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

function processExists(pid: number): boolean {
  if (pid <= 0) return false
  try {
    kill(pid, 0)
    return true
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
}

function describeOwnProcess(): LockHolder {
  return {
    pid: ownPid,
    host: hostname(),
    since: new Date().toISOString(),
    space: pidNamespace(),
    born: processStart(ownPid),
    nonce: randomUUID(),
  }
}

function pidNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname() // not Linux
  }
}

/** Returns field 22 of `/proc/PID/stat`. Field 2, the name, may contain spaces and parentheses. Empty: unknown. */
function processStart(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
