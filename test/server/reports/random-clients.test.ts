import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ControlSchemas } from '../../../src/client/transport.ts'
import { seededChance } from '../../support/chance.ts'
import { analyticsPath, call, event } from '../../support/client.ts'
import { convsim } from '../../support/command.ts'
import { callControl, putRules } from '../../support/control.ts'
import { readControl } from '../../support/stored-records.ts'

/** The number of clients. `npm run test:evidence` sets it to 2,000. */
const clientCount = Number(process.env['RETRY_RUNS'] ?? 30)
/** `RETRY_SEED=2` generates different clients. `RETRY_SEED=1.17` repeats only client 17 of seed 1. */
const seed = process.env['RETRY_SEED'] ?? '1'
const seeds = seed.includes('.') ? [seed] : Array.from({ length: clientCount }, (_, index) => `${seed}.${index}`)

/** The number of clients that run concurrently, each in its own sandbox. */
const concurrency = 8

/** The time limit for a request: long enough for a response head to arrive even if a busy machine stalls a process. */
const timeoutMs = 4000

interface Attempt {
  readonly id?: string | undefined
  /** The retry count to send in a header. Default: none. */
  readonly count?: number
  /** Additional fields of the event. */
  readonly more?: object
  /** The connection pool to use. Default: the client's own. */
  readonly agent?: Agent
  readonly giveUpMs?: number
  readonly isRead?: boolean
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The actions of a client, including the injection of faults into its own requests. */
interface Client {
  readonly chance: () => number
  readonly pick: <T>(list: readonly T[]) => T
  readonly inject: (...scenarios: readonly string[]) => Promise<unknown>
  readonly advanceClock: (by: string) => Promise<unknown>
  /** Sends an event or reads analytics. `waitMs` is the requested wait; status 599 means no complete response. */
  readonly send: (attempt?: Attempt) => Promise<{ readonly status: number; readonly waitMs: number }>
  /** Injects the space-separated scenarios and sends the attempts in order. Returns `mistake`, unless it is empty. */
  readonly series: (scenarios: string, mistake: string, ...attempts: readonly Attempt[]) => Promise<readonly string[]>
}

/** Faults that occur after the event is stored, and faults that prevent it from being stored. */
const faultsAfterStoring = ['lost-ack', 'reset;when=after', 'hang;when=after']
const faultsBeforeStoring = ['reset', 'hang', '500', '503;retry-after=0']

const faults = [
  ...['429;retry-after=1', '429;retry-after=none', '503;retry-after=date', '503;retry-after=1;retry-after-ms=none'],
  ...['429;retry-after=1;retry-after-ms=300', '500', 'lost-ack', 'truncated', 'reset'],
]

/** Each kind of client returns the rules that it broke, with a `?` after a rule that it might not have broken. */
const kinds: Readonly<Record<string, (client: Client) => Promise<readonly string[]>>> = {
  async 'is a pool of workers that reuse IDs, count retries and obey Retry-After'({ inject, send, chance, pick }) {
    await inject(...Array.from({ length: 6 }, () => pick(faults)))
    const work = async (id: string) => {
      for (let count = 0; count < 8; count += 1) {
        const { status, waitMs } = await send({ id, count })
        if (status < 400) break
        await sleep(waitMs + 30 + chance() * 100 * 2 ** count)
      }
    }
    await Promise.all(pick([['a'], ['a', 'b', 'c']]).map(work))
    return []
  },
  async 'waits with full jitter'({ inject, send, chance, pick }) {
    await inject(...Array(5).fill(pick(['500', 'reset'])))
    const id = pick(['a', ''])
    for (let tries = 0; (await send({ id, isRead: id === '' })).status >= 400; tries += 1)
      await sleep(chance() * 100 * 2 ** tries)
    return []
  },
  'sends identical heartbeats, one of which fails': ({ series, pick }) =>
    series(pick([...faultsBeforeStoring, '200 200 lost-ack']), '', {}, {}, {}, {}, {}),
  async 'runs as two processes with the same API key'({ inject, send, pick }) {
    const isRead = pick([true, false])
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const
    for (const [index, agent] of agents.entries()) await send({ agent, isRead, more: { value: String(index) } })
    await inject(pick(['429;retry-after=9', 'lost-ack']))
    for (const agent of agents) await send({ agent, isRead })
    for (const agent of agents) agent.destroy()
    return []
  },
  async 'triggers several responses one after the other, with rules or headers'({ inject, send, pick }) {
    const isByRule = pick([true, false])
    for (const scenario of ['403', '404', '429;retry-after=9', 'lost-ack', '503;retry-after=9', '200']) {
      if (isByRule) await inject(scenario)
      await send(isByRule ? {} : { headers: { 'x-sim-scenario': scenario } })
    }
    return []
  },
  'represents a user who clicks again or reloads': ({ series, pick }) =>
    series('429;retry-after=9 503;retry-after=9 403', '', ...[1, 2, 3, 4].map(() => ({ isRead: pick([true, false]) }))),
  'sends two events that differ only in their IDs': ({ series }) =>
    series('lost-ack', '', ...['a', 'b'].map((id) => ({ id, more: { eventAt: '2026-01-15T12:00:00Z' } }))),
  async 'loses a response and sends the event again without an ID'({ inject, send, advanceClock, pick }) {
    await inject(pick(faultsAfterStoring))
    for (const by of ['1ms', pick(['1ms', '2m'])])
      await send(pick([{}, { count: 0 }, { id: '' }])).then(() => advanceClock(by))
    return ['same-insert-id']
  },
  'changes the ID, the time or a counter after a lost response': ({ series, pick }) => {
    const change = pick([
      (id: string) => ({ id }),
      (value: string) => ({ more: { eventAt: `2026-01-15T12:00:0${value}Z` } }),
      (attempt: string) => ({ more: { properties: { attempt } } }),
    ])
    return series('lost-ack', 'same-insert-id', change('1'), change('2'))
  },
  'changes the ID of a retry that has a retry count': ({ series }) =>
    series('500', 'same-insert-id', { id: 'a', count: 0 }, { id: 'b', count: 1 }),
  async 'hedges a read or a write, and gives up on the slower request'({ inject, send, pick }) {
    await inject('slow;ms=600')
    const attempt = pick([{ isRead: true }, { id: 'a' }, {}])
    await Promise.all([send({ ...attempt, giveUpMs: 300 }), sleep(60).then(() => send(attempt))])
    return Object.keys(attempt).length === 0 ? ['same-insert-id'] : []
  },
  'ignores Retry-After in one of its forms': ({ series, pick }) => {
    const attempt = { id: 'a', ...pick([{}, { count: 0 }]) } // a repeated count of 0 means an outer retry loop
    const form = pick(['9', 'date', '9;retry-after-ms=none'])
    return series(`${pick([429, 503])};retry-after=${form}`, 'retry-after', attempt, attempt)
  },
  'repeats a refused call and counts the repetition as a retry': ({ series }) =>
    series('403', 'no-retry', { id: 'a', count: 0 }, { id: 'a', count: 1 }),
  'nests retry loops and counts only the inner retries': ({ series, pick }) => {
    const [scenarios, mistake, id] = pick([
      ['lost-ack 500', 'same-insert-id', undefined],
      ['500 429;retry-after=9', 'retry-after', 'a'],
    ] as const)
    return series(scenarios, mistake, ...[0, 1, 0].map((count) => ({ id, count })))
  },
  'reorders the query parameters of a retry that has a retry count': ({ series }) => {
    const attempts = ['a=1&b=2', 'b=2&a=1'].map((query, count) => ({ isRead: true, query, count }))
    return series('503;retry-after=9', 'retry-after', ...attempts)
  },
  'has many failed calls and repeats the first': async ({ inject, send }) => {
    await inject('lost-ack', ...Array(150).fill('500'))
    for (let number = 0; number <= 151; number += 1) await send({ more: { value: String(number % 151) } })
    return ['same-insert-id']
  },
  'represents two users behind a proxy': ({ series, pick }) => {
    const users = ['192.0.2.1', '192.0.2.2'].map((user) => ({ headers: { 'x-forwarded-for': user } }))
    return series(pick(['429;retry-after=9', 'lost-ack']), '', ...users)
  },
  'continues with other calls while one call is rate-limited': ({ series }) =>
    series('429;retry-after=9', '', { isRead: true }, {}, { isRead: true, query: 'period=30d' }),
  async 'sends ten concurrent requests over three connections'({ inject, send }) {
    await inject(...Array(7).fill('429;retry-after=9'))
    const agent = new Agent({ keepAlive: true, maxSockets: 3 })
    await Promise.all(Array.from({ length: 10 }, () => send({ isRead: true, agent })))
    agent.destroy()
    return []
  },
  async 'waits by advancing the clock of the sandbox'({ inject, send, advanceClock }) {
    await inject('429;retry-after=9', '500', '500', '503;retry-after=9')
    for (let count = 0; count < 5; count += 1) await send({ id: 'a', count }).then(() => advanceClock('9s'))
    return []
  },
  async 'sends 25 attempts in a row'({ send }) {
    const attempt = { isRead: true, headers: { 'x-sim-scenario': '500' } }
    let consecutive = 0
    for (let tries = 0, before = 0; consecutive < 25 && tries < 99; tries += 1, before = performance.now()) {
      await send(attempt).then(() => sleep(20))
      consecutive = performance.now() - before < 200 ? consecutive + 1 : 0
    }
    return [consecutive < 25 ? 'back-off?' : 'back-off'] // on a busy machine, attempts can be far apart
  },
}

function createClient(origin: string, sandbox: string, chance: () => number): Client {
  const ownAgent = new Agent({ keepAlive: chance() < 0.7 })
  const client: Client = {
    chance,
    pick: (list) => list[Math.floor(chance() * list.length)] ?? expect.unreachable(),
    async series(scenarios, mistake, ...attempts) {
      await client.inject(...scenarios.split(' '))
      for (const attempt of attempts) await client.send(attempt).then(() => sleep(40))
      return mistake === '' ? [] : [mistake]
    },
    inject: (...scenarios) => {
      const rules = scenarios.map((scenario) => ({ scenario, times: 1 }))
      return putRules({ origin }, rules, sandbox)
    },
    advanceClock: (by) => callControl({ origin }, 'POST', `/clock/advance?sandbox=${sandbox}`, { by }),
    send: ({ id, count, more, isRead = false, ...attempt } = {}) => {
      const { agent = ownAgent, giveUpMs = timeoutMs, query = 'period=7d' } = attempt
      const headers = {
        authorization: 'Bearer any-key',
        'user-agent': 'test',
        'x-sim-sandbox': sandbox,
        ...(!isRead && { 'content-type': 'application/json' }),
        ...(count !== undefined && { 'x-stainless-retry-count': String(count) }),
        ...attempt.headers,
      }
      const path = isRead ? `${analyticsPath}?${query}` : '/v1/events'
      return new Promise((resolve) => {
        const fail = () => resolve({ status: 599, waitMs: 0 })
        const options = { method: isRead ? 'GET' : 'POST', agent, headers, signal: AbortSignal.timeout(giveUpMs) }
        request(origin + path, options, (response) => {
          const { statusCode: status = 0, headers: received } = response
          const retryAfter = received['retry-after'] ?? '0'
          const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
          const waitMs = Number(received['retry-after-ms'] ?? ms)
          response
            .on('error', fail)
            .on('end', () => resolve({ status, waitMs }))
            .resume()
        })
          .on('error', fail)
          .end(
            isRead ? undefined : JSON.stringify({ ...event({ ...more }), ...(id !== undefined && { insertId: id }) }),
          )
      })
    },
  }
  return client
}

/** Runs a client. Returns the rules that were reported but not broken, and those that were broken but not reported. */
async function runClient(origin: string, name: string) {
  const chance = seededChance(name)
  const index = Number(name.split('.')[1]) % Object.keys(kinds).length // so that 30 clients cover all kinds
  const [kind, run] = Object.entries(kinds)[index] ?? expect.unreachable()
  const sandbox = `run-${name}`
  const mistakes = await run(createClient(origin, sandbox, chance))
  await call({ origin }, `/__sim/verify?sandbox=${sandbox}`, {
    token: null,
    body: { count: { atLeast: 1 }, withinMs: 500 },
  })
  await sleep(20) // a lost response is recorded only after its connection has closed
  const { retries } = await readControl<ControlSchemas['Report']>({ origin }, `/report?sandbox=${sandbox}`)
  const certain = mistakes.filter((rule) => !rule.endsWith('?'))
  const found = retries.findings.map(({ rule }) => rule)
  return {
    name: `${name}: ${kind}`,
    unfounded: found.filter((rule) => !mistakes.some((mistake) => mistake.startsWith(rule))),
    missed: retries.notJudged.length > 0 ? [] : certain.filter((rule) => !found.some((name) => name === rule)),
  }
}

test(`each retry finding matches a client's mistake, and no mistake is missed silently (clients: ${seeds.length})`, {
  timeout: 7_200_000,
}, async () => {
  const command = convsim(['serve', '--port', '0', '--state', ':memory:', '--log-level', 'error'])
  const origin = await command.ready()
  const pendingSeeds = [...seeds]
  const work = async () => {
    for (let next = pendingSeeds.shift(); next !== undefined; next = pendingSeeds.shift()) {
      const { name, ...result } = await runClient(origin, next)
      expect.soft({ name, ...result }).toEqual({ name, unfounded: [], missed: [] })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
})
