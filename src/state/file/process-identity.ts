import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Returns the namespace of pids: the machine's boot id and process namespace, or else the host's name. */
export function pidNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname() // not Linux
  }
}

/** Returns field 22 of `/proc/PID/stat`. Field 2, the name, may contain spaces and parentheses. Empty: unknown. */
export function processStart(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
