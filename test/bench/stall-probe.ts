import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The longest stall that any request may cause, in milliseconds. */
export const maxStallMs = 100

/**
 * A module that the measured process loads first. It replies to each message with the longest stall of the event loop
 * since the previous message. A stall is the time between two ticks of a 1 ms timer, but at most the processor time
 * that the thread used in between: on a busy machine, a thread that is waiting for the processor is not stalled.
 * Processor time can be read only on Linux. On other systems, a stall is measured in wall-clock time.
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

/** The arguments for a `node` process whose stalls are measured. It must be spawned with `stdio: [..., 'ipc']`. */
export const stallProbe = ['--import', `data:text/javascript,${encodeURIComponent(probe)}`] as const

/** Returns the longest stall of the process since the last call, in milliseconds. */
export async function readStallMs(child: ChildProcess): Promise<number> {
  const reply = once(child, 'message')
  child.send('')
  const [ms] = await reply
  return Number(ms)
}
