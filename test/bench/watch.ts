import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { bundledContract } from '../../src/fixtures/bundled.ts'
import { warmAnalytics } from './requests.ts'
import { freePort, startTarget } from './target.ts'
import { builtSimulator } from './targets.ts'

/**
 * Replaces the contract of the built simulator (`--watch`) every second, now by a good and now by a broken one, under 500 requests a second
 * (RATE) for 20 seconds (SECONDS): `npm run bench:watch`. Prints the answers, the failures, which must be none, and the longest times.
 */
const rate = Number(process.env['RATE'] ?? 500)
const duration = Number(process.env['SECONDS'] ?? 20)
const connections = 50

await main()

async function main(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'convsim-watch-'))
  const contract = readFileSync(bundledContract, 'utf8')
  const file = join(folder, 'contract.yaml')
  const replace = (text: string) => {
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  }
  replace(contract)
  const built = builtSimulator(folder)
  const watching = (port: number) => [...built.arguments(port), '--contract', file, '--watch']
  const simulator = await startTarget({ ...built, arguments: watching }, await freePort(), warmAnalytics)
  try {
    const load = sendAtRate(simulator.url)
    for (let second = 1; second < duration; second += 1) {
      await sleep(1000)
      replace(`${contract}\n${second % 2 === 0 ? 'broken: [' : `# ${second}`}\n`)
    }
    console.log(await load)
    const { origin } = new URL(simulator.url)
    const answer = await fetch(`${origin}/__sim/info`)
    console.log(await answer.text())
  } finally {
    await simulator.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Sends requests at the rate, and returns what came of them; times in milliseconds. */
async function sendAtRate(url: string) {
  const times: number[] = []
  const { origin, pathname } = new URL(url)
  const requests = [{ ...warmAnalytics, path: pathname + warmAnalytics.path }]
  const load = autocannon({ url: origin, connections, overallRate: rate, duration, requests })
  load.on('response', (_client, _status, _bytes, ms) => times.push(ms))
  const { errors, timeouts, non2xx, '2xx': successes } = await load
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)]?.toFixed(1)
  return { successes, errors, timeouts, non2xx, p50: at(0.5), p99: at(0.99), longest: at(1) }
}
