import { randomUUID } from 'node:crypto'
import {
  closeSync,
  futimesSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { kill, pid as ownPid } from 'node:process'
import { isObject, parseJson } from '../../core/json.ts'
import { PRIVATE_FILE } from '../../documents/private-file.ts'
import { systemErrorCode } from './disk.ts'

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

const ACKNOWLEDGED_AT = '{"acknowledged":"'.length

/** Returns a number with as many digits as the largest has, so that a heartbeat can overwrite it in place. */
function formatNumber(value: number): string {
  return String(value).padStart(String(Number.MAX_SAFE_INTEGER).length, '0')
}

/** Writes a new file, and returns its descriptor. It fails where there is a file or a link, and leaves no part. */
export function writeHolder(path: string, own: LockHolder): number {
  const fd = openSync(path, 'wx', PRIVATE_FILE)
  try {
    writeFileSync(fd, JSON.stringify({ ...own, acknowledged: formatNumber(0) }))
    return fd
  } catch (error) {
    closeSync(fd)
    rmSync(path, { force: true })
    throw error
  }
}

/** Marks the lock file as that of a live process. It never writes into the file of one that took the lock over. */
export function touch(fd: number, acknowledged: number): void {
  const now = new Date()
  try {
    writeSync(fd, formatNumber(acknowledged), ACKNOWLEDGED_AT)
    futimesSync(fd, now, now)
  } catch {
    // The next heartbeat may succeed.
  }
}

/** Parses the content of a lock file. Returns undefined if it is half written, or written by another program. */
export function parseHolder(content: string): LockHolder | undefined {
  const value = parseJson(content)
  if (!isObject(value) || typeof value['pid'] !== 'number' || typeof value['nonce'] !== 'string') return undefined
  return { ...(value as unknown as LockHolder), acknowledged: Number(value['acknowledged']) || 0 }
}

/** Returns true if a process of this pid runs in this process namespace. A zombie without other threads has ended. */
export function processExists(pid: number): boolean {
  if (pid <= 0) return false
  try {
    kill(pid, 0)
    return readStat(pid)[0] !== 'Z' || readdirSync(`/proc/${pid}/task`).length > 1 // another thread may still write
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
}

/** Describes this process as a holder, with a new nonce. */
export function describeOwnProcess(): LockHolder {
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

/** Returns the namespace of pids: the machine's boot id and process namespace, or else the host's name. */
export function pidNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname() // not Linux
  }
}

/** Returns the start of a process in clock ticks, field 22 of its stat. Empty: unknown. */
export function processStart(pid: number): string {
  return readStat(pid)[19] ?? ''
}

/** Returns the fields of `/proc/PID/stat` from the third on, since the name before may have spaces. Empty: unknown. */
function readStat(pid: number): string[] {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
