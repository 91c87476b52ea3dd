import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The longest stall that an allowed request may cause, in milliseconds. */
export const maxStallMs = 100

/**
 * A module that the measured process loads first: it answers each message with the longest stall of its event loop since the last. A
 * stall is the time between two turns of a timer of 1 ms, but no more than the processor time that the process used meanwhile: on a
 * machine with other work, a process that waits for its turn is no stall of its own.
 */
const probe = `
let longestMs = 0
let at = performance.now()
let used = process.cpuUsage()
const measure = () => {
  const now = performance.now()
  const { user, system } = process.cpuUsage(used)
  longestMs = Math.max(longestMs, Math.min(now - at, (user + system) / 1000))
  at = now
  used = process.cpuUsage()
}
setInterval(measure, 1).unref()
process.on('message', () => {
  measure()
  process.send(longestMs)
  longestMs = 0
})
process.channel.unref()
`

/** The arguments of a `node` whose stalls are measured. It needs a channel: `stdio: [..., 'ipc']`. */
export const stallProbe = ['--import', `data:text/javascript,${encodeURIComponent(probe)}`] as const

/** Returns the longest stall of the process since the last call, in milliseconds. */
export async function readStallMs(measured: ChildProcess): Promise<number> {
  const told = once(measured, 'message')
  measured.send('')
  const [ms] = await told
  return Number(ms)
}
