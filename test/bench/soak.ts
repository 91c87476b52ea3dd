import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { type BenchRequest, newEvent, warmAnalytics } from './requests.ts'
import { freePort, type StartedTarget, startTarget } from './target.ts'
import { builtSimulator } from './targets.ts'

/**
 * Sends a million requests (REQUESTS) to the built simulator: `npm run bench:soak`. Prints its resident memory every 100,000
 * requests, which must stay constant. The requests store nothing new, since stored events and prompts may grow.
 */
const requests = Number(process.env['REQUESTS'] ?? 1_000_000)
const step = Math.min(100_000, requests)
const connections = 16

/** The number of sandboxes that take turns: more than `--sandbox-limit`, so that they and their journals are evicted. */
const sandboxes = 1500
let turn = 0

await main()

async function main(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'convsim-soak-'))
  const simulator = await startTarget(builtSimulator(folder), await freePort(), warmAnalytics)
  try {
    await soak(simulator)
    console.log(await readJournalCount(simulator))
  } finally {
    await simulator.stop()
    rmSync(folder, { recursive: true })
  }
}

async function soak({ url, residentMb }: StartedTarget): Promise<void> {
  const { origin } = new URL(url)
  const mixedRequests = createMixedRequests()
  console.log(`${requests} requests, ${connections} connections, ${sandboxes} sandboxes in turn`)
  for (let done = 0; done < requests; done += step) {
    const before = performance.now()
    const { errors, timeouts } = await autocannon({ url: origin, connections, amount: step, requests: mixedRequests })
    if (errors + timeouts > 0) throw new Error(`${errors} errors, ${timeouts} timeouts`)
    const perSecond = step / ((performance.now() - before) / 1000)
    const resident = residentMb()?.toFixed(1) ?? '(unknown)'
    console.log(`${done + step}: resident ${resident} MB, ${perSecond.toFixed(0)}/s`)
  }
}

/** Creates requests for every kind of reply: analytics, a replayed event, refusals of each stage, scenarios. */
function createMixedRequests() {
  const event = newEvent()
  const bad = { ...event, body: '{"eventType":' }
  const all: BenchRequest[] = [
    warmAnalytics,
    { ...warmAnalytics, path: warmAnalytics.path.replace('30d', '7d') },
    event,
    bad,
    { ...event, body: JSON.stringify({ value: 1 }) },
    { ...warmAnalytics, path: '/nowhere' },
    { ...warmAnalytics, headers: {} },
    { ...warmAnalytics, headers: { ...warmAnalytics.headers, 'x-sim-scenario': 'rate-limited' } },
    { ...warmAnalytics, headers: { ...warmAnalytics.headers, 'x-sim-sequence': '503, 200' } },
  ]
  const elsewhere = (request: BenchRequest) => {
    turn += 1
    return { ...request, headers: { ...warmAnalytics.headers, 'x-sim-sandbox': `soak-${turn % sandboxes}` } }
  }
  return [...all.map(addBasePath), { ...addBasePath(warmAnalytics), setupRequest: elsewhere }]
}

function addBasePath(request: BenchRequest): BenchRequest {
  return { ...request, path: `/v1${request.path}` }
}

async function readJournalCount({ url }: StartedTarget): Promise<string> {
  const answer = await fetch(`${new URL(url).origin}/__sim/requests/count?sandbox=*`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  return `the journal counts ${await answer.text()}`
}
