import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/core/json.ts'
import { seededChance } from '../../support/chance.ts'
import { analyticsPath, ask, event, prompt } from '../../support/client.ts'
import { convsim } from '../../support/command.ts'
import { readRetries } from '../../support/stored-records.ts'

/** The number of clients; `npm run test:retries` sets 2,000. */
const runs = Number(process.env['RETRY_RUNS'] ?? 24)
/** `RETRY_SEED=2` draws other clients; `RETRY_SEED=1.17` repeats the client 17 of the seed 1 alone. */
const seed = process.env['RETRY_SEED'] ?? '1'
const seeds = seed.includes('.') ? [seed] : Array.from({ length: runs }, (_, index) => `${seed}.${index}`)

/** The clients that run at the same time, each in a sandbox of its own. */
const atOnce = 12

/** Much longer than a process stands still on a busy machine, so that a client reads each head before it gives up. */
const timeoutMs = 1500

const slowBody = 'dribble;ms=9000;pieces=3'
/** Faults that leave open whether the service has stored something. */
const lost = ['hang', 'hang;when=after', 'slow;ms=9000', 'reset', 'reset;when=after', 'empty-response', 'truncated']
const unclear = [...lost, 'lost-ack', slowBody, '500', '500, truncated', `500, ${slowBody}`]
const limited = ['429;retry-after=1', '503;retry-after=1', `429;retry-after=1, ${slowBody}`]

/** What a client does wrong, by the rule that it breaks. */
const mistakes = ['retry-after', 'same-insert-id', 'no-retry'] as const
type Mistake = (typeof mistakes)[number]

/** A call with the faults of its first tries. */
interface Call {
  readonly path: string
  readonly body: JsonObject | undefined
  readonly insertId: string | undefined
  /** Sends the number of its earlier tries with each. */
  readonly isCounted: boolean
  readonly faults: readonly string[]
}

interface Run {
  readonly mistake: Mistake | undefined
  /** Calls that are made at the same time. */
  readonly groups: readonly (readonly Call[])[]
}

/** Draws a client: one that makes a mistake in one call, or one that retries equal calls side by side as it should. */
function drawRun(name: string): Run {
  const chance = seededChance(name)
  const pick = <T>(items: readonly T[]) => items[Math.floor(chance() * items.length)] as T // below the length
  const list = <T>(count: number, draw: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => draw(index))
  const order = (id: string) => ({ path: '/v1/events', body: event({ externalUserId: name }), insertId: id })
  const mistake = chance() < 0.4 ? pick(mistakes) : undefined
  if (mistake) {
    const faults = { 'retry-after': ['429;retry-after=30'], 'no-retry': ['403'], 'same-insert-id': unclear }[mistake]
    return {
      mistake,
      groups: [[{ ...order('a'), isCounted: true, faults: list(pick([1, 2, 3]), () => pick(faults)) }]],
    }
  }
  const others = [
    { path: '/v1/prompts', body: prompt({ name }), insertId: undefined },
    { path: analyticsPath, body: undefined, insertId: undefined },
  ]
  const drawGroup = (group: number) => {
    const other = chance() < 0.6 ? undefined : pick(others)
    const size = pick([1, 1, 2, 3, 4])
    // Nothing but their time would tell equal calls apart that have neither an id nor a count.
    const isCounted = chance() < 0.6 || (size > 1 && other !== undefined)
    const faults = () => list(pick([0, 1, 1, 2, 3]), () => (chance() < 0.1 ? '403' : pick([...unclear, ...limited])))
    const isWrite = other?.path !== analyticsPath
    return list(size, (member) => ({
      ...(other ?? order(`${group}.${member}`)),
      isCounted,
      faults: faults().filter((fault) => isWrite || fault !== 'lost-ack'),
    }))
  }
  return { mistake, groups: list(pick([1, 2, 3]), drawGroup) }
}

/** Makes a call until it succeeds, is refused or has failed four times. Returns the number of its retries. */
async function makeCall(origin: string, sandbox: string, call: Call, mistake: Mistake | undefined): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const { status, waitMs } = await tryOnce(origin, sandbox, call, tries, mistake)
    const isOver = status < 400 || (status === 403 && mistake !== 'no-retry')
    if (isOver || tries === 3) return tries
    const backOffMs = Math.min(200 * 2 ** tries, 500) * (1 + Math.random() / 4)
    await sleep(mistake === undefined && waitMs > 0 ? waitMs + 50 : backOffMs)
  }
}

/** Sends a call. `status`: that of the response if it was read to its end, or is an error, else 599. */
async function tryOnce(origin: string, sandbox: string, call: Call, tries: number, mistake: Mistake | undefined) {
  const { path, insertId, isCounted, faults } = call
  const id = insertId !== undefined && mistake === 'same-insert-id' ? `${insertId}-${tries}` : insertId
  const body = call.body && { ...call.body, ...(id !== undefined && { insertId: id }) }
  const headers = {
    authorization: 'Bearer any-key',
    'x-sim-sandbox': sandbox,
    ...(faults[tries] && { 'x-sim-scenario': faults[tries] }),
    ...(body && { 'content-type': 'application/json' }),
    ...(isCounted && { 'x-stainless-retry-count': String(tries) }),
  }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  try {
    const response = await fetch(origin + path, { ...init, signal: AbortSignal.timeout(timeoutMs) })
    const { status } = response
    const waitMs = Number(response.headers.get('retry-after')) * 1000
    if (status >= 400)
      await response.body?.cancel().catch(() => undefined) // the connection may have broken meanwhile
    else await response.text()
    return { status, waitMs }
  } catch {
    return { status: 599, waitMs: 0 } // no response in time, or a broken connection
  }
}

/** Runs a client. Returns the rules that it broke, and those that both lists of the simulator name, once each. */
async function runClient(origin: string, name: string) {
  const { mistake, groups } = drawRun(name)
  const sandbox = `run-${name}`
  let [retries, sent] = [0, 0]
  const make = async (call: Call) => {
    const made = await makeCall(origin, sandbox, call, mistake)
    retries += made
    sent += made + 1
  }
  for (const group of groups) await Promise.all(group.map(make))
  // An equal event of its own is no retry of one that was given up.
  const [last] = groups.at(-1) ?? []
  if (last?.insertId !== undefined && mistake === undefined) await make({ ...last, insertId: 'later', faults: [] })
  // A request that timed out before it was sent never arrives, so that the count need not be reached.
  const settled = { count: { atLeast: sent }, withinMs: 500 }
  await ask({ origin }, `/__sim/verify?sandbox=${sandbox}`, { token: null, body: settled })
  const { chains, problems } = await readRetries({ origin }, sandbox)
  return {
    name,
    broken: mistake === undefined ? [] : Array.from({ length: retries }, () => mistake),
    listed: chains.flatMap(({ attempts }) => attempts.flatMap((one) => one.findings.map(({ rule }) => rule))),
    counted: problems.findings.flatMap(({ rule, count }) => Array.from({ length: count }, () => rule)),
  }
}

test(`a client is accused of each mistake that it makes, and of nothing else, in ${seeds.length} runs`, {
  timeout: 7_200_000,
}, async () => {
  const command = convsim(['serve', '--port', '0', '--state', ':memory:', '--log-level', 'error'])
  const origin = await command.ready()
  const results: Awaited<ReturnType<typeof runClient>>[] = []
  const left = [...seeds]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results.push(await runClient(origin, next))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  for (const { name, broken, listed, counted } of results)
    expect.soft({ name, listed, counted }).toEqual({ name, listed: broken, counted: broken })
  expect(results).toHaveLength(seeds.length)
})
