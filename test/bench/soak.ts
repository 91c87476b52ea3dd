import autocannon from 'autocannon'
import { startSimulator } from '../../src/start.ts'
import { newEvent, type Question, warmAnalytics } from './questions.ts'

/**
 * A million requests (REQUESTS) at one simulator in this process, over connections that are kept: `npm run bench:soak`. Memory is told
 * every 100,000; it has to stay flat. The requests leave no state: what is kept on purpose (events, prompts) may well grow.
 */
const requests = Number(process.env['REQUESTS'] ?? 1_000_000)
const step = Math.min(100_000, requests)
const connections = 16

/** As many sandboxes as this take turns, more than there may be: they come and go, and their journals with them. */
const sandboxes = 1500
let turn = 0

const questions = mixed()
const sim = await startSimulator({ sandboxLimit: 1000 })
console.log(`${requests} requests, ${connections} connections, ${sandboxes} sandboxes in turn`)
for (let done = 0; done < requests; done += step) {
  const before = performance.now()
  const { errors, timeouts } = await autocannon({
    url: sim.origin,
    connections,
    amount: step,
    requests: questions,
  })
  if (errors + timeouts > 0) throw new Error(`${errors} errors, ${timeouts} timeouts`)
  tell(done + step, step / ((performance.now() - before) / 1000))
}
console.log(await journalTells())
await sim.close()

/** Answers of every kind: figures, a replayed event, refusals of each stage, scenarios. */
function mixed() {
  const event = newEvent()
  const bad = { ...event, body: '{"eventType":' }
  const all: Question[] = [
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
  const elsewhere = (question: Question) => {
    turn += 1
    return { ...question, headers: { ...warmAnalytics.headers, 'x-sim-sandbox': `soak-${turn % sandboxes}` } }
  }
  return [...all.map(underBase), { ...underBase(warmAnalytics), setupRequest: elsewhere }]
}

const underBase = (question: Question): Question => ({ ...question, path: `/v1${question.path}` })

function tell(done: number, perSecond: number): void {
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  const mb = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`
  console.log(
    `${done}: resident ${mb(rss)}, heap ${mb(heapUsed)}, external ${mb(external)}, ${perSecond.toFixed(0)}/s`,
  )
}

async function journalTells(): Promise<string> {
  const answer = await fetch(`${sim.controlUrl}/requests/count?sandbox=*`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  return `the journal counts ${await answer.text()}`
}
