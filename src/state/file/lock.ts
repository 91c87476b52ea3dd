import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { kill, pid as ownPid } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../../core/json.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { systemErrorCode } from './state-file-error.ts'

/** Who holds a lock, as it stands in the lock's file. */
export interface LockHolder {
  readonly pid: number
  readonly host: string
  /** UTC. */
  readonly since: string
  /** Where this pid means something: the machine's start and the process namespace; else the host's name. */
  readonly space: string
  /** When the process began, in the kernel's own count: tells it from a later one of the same pid. Empty: not known. */
  readonly born: string
  /** Tells this holding from every other one. */
  readonly nonce: string
}

/** A lock that this process holds. */
export interface Lock {
  /** The process that died while it held the lock. Absent: the lock was free. */
  readonly tookOver?: LockHolder
  readonly release: () => Promise<void>
}

/** A holder that we cannot see, on another machine or in another container, touches its file this often. */
const BEAT_MS = 500
/** So a file that stays untouched this long has none. */
const SILENCE_MS = 2500

/** Takes the lock, from a dead holder too. Rejects where the file system refuses. */
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
  const beat = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => undefined) // the next beat may do
  }, BEAT_MS)
  beat.unref()
  const release = async () => {
    clearInterval(beat)
    if ((await readHolder(path))?.nonce === own.nonce) await rm(path, { force: true })
  }
  return { release, ...(tookOver && { tookOver }) }
}

/**
 * Replaces the file of a dead holder. The right to do so is a lock of its own, named after that holding: of two that saw
 * the same dead holder one comes second, and finds by then that the holder is another.
 */
async function takeOver(path: string, dead: LockHolder, own: LockHolder): Promise<boolean> {
  const right = await takeLock(`${path}.${dead.nonce}`)
  if (!right.ok) {
    await sleep(20)
    return false
  }
  try {
    if ((await readHolder(path))?.nonce !== dead.nonce) return false
    const beside = `${path}.${own.nonce}`
    await writeFile(beside, JSON.stringify(own))
    await rename(beside, path)
    return true
  } finally {
    await right.value.release()
  }
}

/** Makes the file with its content in one step, so that nobody ever reads half of it. False: there is one already. */
async function createLockFile(path: string, own: LockHolder): Promise<boolean> {
  const beside = `${path}.${own.nonce}`
  const content = JSON.stringify(own)
  await writeFile(beside, content, { flag: 'wx' })
  try {
    await link(beside, path)
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    return await createWithoutLink(path, content)
  } finally {
    await rm(beside, { force: true })
  }
}

/** For file systems without hard links. */
async function createWithoutLink(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx' })
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Undefined: nobody holds it. A file that stays unreadable belongs to nobody who lives. */
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
    return undefined // half written, or by somebody else
  }
}

async function isAlive(path: string, holder: LockHolder): Promise<boolean> {
  const self = describeOwnProcess()
  if (holder.space !== self.space) return await isTouched(path, holder)
  const born = processStart(holder.pid)
  return processExists(holder.pid) && (born === holder.born || born === '') // in doubt it lives
}

/** Watched rather than computed, since the clocks of two machines differ. */
async function isTouched(path: string, holder: LockHolder): Promise<boolean> {
  const before = await readTouchTime(path)
  for (let waited = 0; waited < SILENCE_MS; waited += BEAT_MS / 5) {
    await sleep(BEAT_MS / 5)
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
    return hostname() // no Linux
  }
}

/** The 22nd field of the kernel's line on a process; the second one, its name, may hold spaces and parentheses. */
function processStart(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
