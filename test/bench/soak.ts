import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { newEvent, type Question, warmAnalytics } from './questions.ts'
import { freePort, type Started, startTarget } from './target.ts'
import { shipped } from './targets.ts'

/**
 * A million requests (REQUESTS) at what is shipped, over connections that are kept: `npm run bench:soak`. Its resident memory is told
 * every 100,000; it has to stay flat. The requests leave no state: what is kept on purpose (events, prompts) may well grow.
 */
const requests = Number(process.env['REQUESTS'] ?? 1_000_000)
const step = Math.min(100_000, requests)
const connections = 16

/** As many sandboxes as this take turns, more than there may be: they come and go, and their journals with them. */
const sandboxes = 1500
let turn = 0

await main()

async function main(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'convsim-soak-'))
  const simulator = await startTarget(shipped(folder), await freePort(), warmAnalytics)
  try {
    await soak(simulator)
    console.log(await journalTells(simulator))
  } finally {
    await simulator.stop()
    rmSync(folder, { recursive: true })
  }
}

async function soak({ url, residentMb }: Started): Promise<void> {
  const { origin } = new URL(url)
  const questions = mixed()
  console.log(`${requests} requests, ${connections} connections, ${sandboxes} sandboxes in turn`)
  for (let done = 0; done < requests; done += step) {
    const before = performance.now()
    const { errors, timeouts } = await autocannon({
      url: origin,
      connections,
      amount: step,
      requests: questions,
    })
    if (errors + timeouts > 0) throw new Error(`${errors} errors, ${timeouts} timeouts`)
    const perSecond = step / ((performance.now() - before) / 1000)
    const resident = residentMb()?.toFixed(1) ?? '(unknown)'
    console.log(`${done + step}: resident ${resident} MB, ${perSecond.toFixed(0)}/s`)
  }
}

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

function underBase(question: Question): Question {
  return { ...question, path: `/v1${question.path}` }
}

async function journalTells({ url }: Started): Promise<string> {
  const answer = await fetch(`${new URL(url).origin}/__sim/requests/count?sandbox=*`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  return `the journal counts ${await answer.text()}`
}
