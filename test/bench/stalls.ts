import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostileRequests } from './hostile-requests.ts'
import { warmAnalytics } from './requests.ts'
import { maxStallMs, readStallMs, stallProbe } from './stall-probe.ts'
import { alignColumns } from './table.ts'
import { freePort, send, waitUntilOk } from './target.ts'
import { builtSimulator, withBuild } from './targets.ts'

/*
 * `npm run bench:stalls` sends the most expensive known requests to the built simulator. For each attack, it prints the
 * longest stall, during which other requests have to wait. It exits with code 1 if any stall exceeds `maxStallMs`.
 */
await withBuild(async (folder) => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const simulator = spawn(process.execPath, [...stallProbe, ...builtSimulator(folder).arguments(port)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const exited = once(simulator, 'exit')
  try {
    await waitUntilOk('convsim', simulator, `${origin}/v1`, warmAnalytics)
    const longest = await measureAll(simulator, origin)
    console.log(`\nThe longest stall was ${longest.toFixed(0)} ms; the limit is ${maxStallMs} ms.`)
    if (longest > maxStallMs) process.exitCode = 1
  } finally {
    simulator.kill('SIGTERM')
    await exited
  }
})

/** Sends the requests of each attack one after the other and prints a table. Returns the longest stall in ms. */
async function measureAll(simulator: ChildProcess, origin: string): Promise<number> {
  let longest = 0
  const rows: string[][] = []
  for (const { name, requests } of hostileRequests) {
    await readStallMs(simulator)
    const statuses = new Set<number>()
    const before = performance.now()
    for (const request of requests) statuses.add((await send(origin, request)).status)
    const totalMs = performance.now() - before
    const stallMs = await readStallMs(simulator)
    longest = Math.max(longest, stallMs)
    rows.push([name, String(requests.length), [...statuses].join(' '), stallMs.toFixed(0), totalMs.toFixed(0)])
  }
  console.log(alignColumns([['attack', 'requests', 'statuses', 'longest stall, ms', 'total time, ms'], ...rows]))
  return longest
}
