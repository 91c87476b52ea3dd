import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The longest stall that an allowed request may cause, in milliseconds. */
export const maxStallMs = 100

/**
 * A module that the measured process loads first. It replies to each message with the longest stall of its event loop
 * since the last one. A stall is the time between two turns of a 1 ms timer, but no more than the processor time that
 * the thread used meanwhile: on a busy machine, a thread waiting for the processor does not count as stalled. The
 * processor time is known on Linux only; elsewhere the time alone counts.
 */
const probe = `
import { readFileSync } from 'node:fs'
const readUsedMs = () => {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}
let longestMs = 0
let at = performance.now()
let usedMs = readUsedMs()
const measure = () => {
  const [now, used] = [performance.now(), readUsedMs()]
  longestMs = Math.max(longestMs, Math.min(now - at, used - usedMs))
  at = now
  usedMs = used
}
setInterval(measure, 1).unref()
process.on('message', () => {
  measure()
  process.send(longestMs)
  longestMs = 0
})
process.channel.unref()
`

/** The arguments of a `node` process whose stalls are measured. It needs a channel: `stdio: [..., 'ipc']`. */
export const stallProbe = ['--import', `data:text/javascript,${encodeURIComponent(probe)}`] as const

/** Returns the longest stall of the process since the last call, in milliseconds. */
export async function readStallMs(measured: ChildProcess): Promise<number> {
  const reply = once(measured, 'message')
  measured.send('')
  const [ms] = await reply
  return Number(ms)
}
