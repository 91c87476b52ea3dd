import autocannon from 'autocannon'
import { type BenchRequest, newEvent, warmAnalytics } from './requests.ts'
import { withSimulator } from './targets.ts'

/**
 * Sends a million requests (REQUESTS) to the built simulator: `npm run bench:soak`. Prints its resident memory every
 * 100,000 requests, which must stay constant. The requests store nothing new, since stored events and prompts may grow.
 */
const amount = Number(process.env['REQUESTS'] ?? 1_000_000)
const step = Math.min(100_000, amount)
const connections = 16

/** The number of sandboxes that take turns: more than `--sandbox-limit`, so they and their journals are evicted. */
const sandboxes = 1500

await withSimulator(async ({ url, residentMb }) => {
  const { origin } = new URL(url)
  const requests = createMixedRequests()
  console.log(`${amount} requests, ${connections} connections, ${sandboxes} sandboxes in turn`)
  for (let done = 0; done < amount; done += step) {
    const before = performance.now()
    const { errors, timeouts } = await autocannon({ url: origin, connections, amount: step, requests })
    if (errors + timeouts > 0) throw new Error(`${errors} errors, ${timeouts} timeouts`)
    const perSecond = step / ((performance.now() - before) / 1000)
    const resident = residentMb()?.toFixed(1) ?? '(unknown)'
    console.log(`${done + step}: resident ${resident} MB, ${perSecond.toFixed(0)}/s`)
  }
  const headers = { 'content-type': 'application/json' }
  const counted = await fetch(`${origin}/__sim/requests/count?sandbox=*`, { method: 'POST', headers, body: '{}' })
  console.log(`the journal counts ${await counted.text()}`)
})

/** Creates requests for every kind of reply: analytics, a replayed event, refusals of each stage, scenarios. */
function createMixedRequests() {
  const event = newEvent()
  const controlled = (name: string, value: string) => ({
    ...warmAnalytics,
    headers: { ...warmAnalytics.headers, [name]: value },
  })
  const all: BenchRequest[] = [
    warmAnalytics,
    { ...warmAnalytics, path: warmAnalytics.path.replace('30d', '7d') },
    event,
    { ...event, body: '{"eventType":' },
    { ...event, body: JSON.stringify({ value: 1 }) },
    { ...warmAnalytics, path: '/nowhere' },
    { ...warmAnalytics, headers: {} },
    controlled('x-sim-scenario', 'rate-limited'),
    controlled('x-sim-sequence', '503, 200'),
  ]
  let turn = 0
  const elsewhere = (request: BenchRequest) => {
    turn += 1
    return { ...request, headers: { ...warmAnalytics.headers, 'x-sim-sandbox': `soak-${turn % sandboxes}` } }
  }
  const addBasePath = (request: BenchRequest) => ({ ...request, path: `/v1${request.path}` })
  return [...all.map(addBasePath), { ...addBasePath(warmAnalytics), setupRequest: elsewhere }]
}
