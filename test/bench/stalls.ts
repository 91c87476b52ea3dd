import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostileRequests } from './hostile-requests.ts'
import { warmAnalytics } from './requests.ts'
import { maxStallMs, readStallMs, stallProbe } from './stall-probe.ts'
import { alignColumns } from './table.ts'
import { freePort, send, waitUntilOk } from './target.ts'
import { builtSimulator, withBuild } from './targets.ts'

/*
 * Sends the most expensive known requests to the built simulator: `npm run bench:stalls`. Prints for each the longest
 * time that other requests had to wait, and exits with 1 if one is longer than `maxStallMs`.
 */
await withBuild(async (folder) => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const simulator = spawn(process.execPath, [...stallProbe, ...builtSimulator(folder).arguments(port)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const gone = once(simulator, 'exit')
  try {
    await waitUntilOk('convsim', simulator, `${origin}/v1`, warmAnalytics)
    const longest = await measureAll(simulator, origin)
    console.log(`\nthe longest stall is ${longest.toFixed(0)} ms; allowed are ${maxStallMs} ms`)
    if (longest > maxStallMs) process.exitCode = 1
  } finally {
    simulator.kill('SIGTERM')
    await gone
  }
})

/** Sends the requests of each attack in sequence. Returns the longest stall. */
async function measureAll(simulator: ChildProcess, origin: string): Promise<number> {
  let longest = 0
  const rows: string[][] = []
  for (const { name, requests } of hostileRequests) {
    await readStallMs(simulator)
    const statuses = new Set<number>()
    const before = performance.now()
    for (const request of requests) statuses.add((await send(origin, request)).status)
    const wholeMs = performance.now() - before
    const stallMs = await readStallMs(simulator)
    longest = Math.max(longest, stallMs)
    rows.push([name, String(requests.length), [...statuses].join(' '), stallMs.toFixed(0), wholeMs.toFixed(0)])
  }
  console.log(alignColumns([['attack', 'requests', 'responses', 'longest stall, ms', 'all responded, ms'], ...rows]))
  return longest
}
