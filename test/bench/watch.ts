import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { bundledContract } from '../../src/fixtures/bundled.ts'
import { warmAnalytics } from './requests.ts'
import { withSimulator } from './targets.ts'

/**
 * Replaces the contract of the built simulator (`--watch`) every second, now by a good and now by a broken one, under
 * 500 requests a second (RATE) for 20 seconds (SECONDS): `npm run bench:watch`. Prints the answers, the failures, which
 * must be none, and the longest times.
 */
const rate = Number(process.env['RATE'] ?? 500)
const duration = Number(process.env['SECONDS'] ?? 20)
const connections = 50

const contract = readFileSync(bundledContract, 'utf8')
let file = ''

await withSimulator(
  async ({ url }) => {
    const load = sendAtRate(url)
    for (let second = 1; second < duration; second += 1) {
      await sleep(1000)
      replaceContract(`${contract}\n${second % 2 === 0 ? 'broken: [' : `# ${second}`}\n`)
    }
    console.log(await load)
    console.log(await (await fetch(`${new URL(url).origin}/__sim/info`)).text())
  },
  (folder) => {
    file = join(folder, 'contract.yaml')
    replaceContract(contract)
    return ['--contract', file, '--watch']
  },
)

function replaceContract(text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
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
