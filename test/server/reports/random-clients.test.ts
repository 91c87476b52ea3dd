import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ControlSchemas } from '../../../src/client/transport.ts'
import { seededChance } from '../../support/chance.ts'
import { analyticsPath, ask, event } from '../../support/client.ts'
import { convsim } from '../../support/command.ts'
import { putRules, steer } from '../../support/control.ts'
import { readControl } from '../../support/stored-records.ts'

/** The number of clients; `npm run test:evidence` sets 2,000. */
const runs = Number(process.env['RETRY_RUNS'] ?? 30)
/** `RETRY_SEED=2` draws other clients; `RETRY_SEED=1.17` repeats the client 17 of the seed 1 alone. */
const seed = process.env['RETRY_SEED'] ?? '1'
const seeds = seed.includes('.') ? [seed] : Array.from({ length: runs }, (_, index) => `${seed}.${index}`)

/** The clients that run at the same time, each in a sandbox of its own. */
const atOnce = 8

/** Much longer than a process stands still on a busy machine, so that a client reads each head before it gives up. */
const timeoutMs = 1500

interface Try {
  readonly id?: string | undefined
  readonly count?: number
  /** Members of the event besides those of every event. */
  readonly more?: object
  /** A process of its own: it shares no connection with others. */
  readonly agent?: Agent
  readonly giveUpMs?: number
  readonly isRead?: boolean
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What a client can do, with the faults that it gets one after the other. */
interface Client {
  readonly chance: () => number
  readonly rules: (...scenarios: readonly string[]) => Promise<unknown>
  /** Advances the clock of the sandbox. */
  readonly advance: (by: string) => Promise<unknown>
  /** Sends an event, or reads analytics. `waitMs`: what `Retry-After` demands. Status 599: no response. */
  readonly send: (how?: Try) => Promise<{ readonly status: number; readonly waitMs: number }>
}

/** Where the service has stored the event, and where nothing shows whether it has. */
const stored = ['lost-ack', 'reset;when=after', 'hang;when=after']
const dropped = ['reset', 'hang', '500', '503;retry-after=0']

const faults = [
  ...['429;retry-after=1', '429;retry-after=none', '503;retry-after=date', '503;retry-after=1;retry-after-ms=none'],
  ...['429;retry-after=1;retry-after-ms=300', '500', 'lost-ack', 'truncated', 'reset'],
]

/** Each kind of client returns its own log: the rules that it broke. */
const kinds: Readonly<Record<string, (client: Client) => Promise<readonly string[]>>> = {
  async 'keeps the id, counts and waits'({ rules, send, chance }) {
    await rules(...[1, 2, 3].map(() => faults[Math.floor(chance() * faults.length)] ?? '500'))
    for (let count = 0; count < 4; count += 1) {
      const { status, waitMs } = await send({ id: 'a', count })
      if (status < 400) break
      await sleep(waitMs + 100 + chance() * 100)
    }
    return []
  },
  async 'draws its waits with full jitter'({ rules, send, chance }) {
    await rules(...Array(5).fill(chance() < 0.5 ? '500' : 'reset'))
    const id = chance() < 0.5 ? 'a' : undefined
    for (let tries = 0; (await send({ id, isRead: id === undefined })).status >= 400; tries += 1)
      await sleep(chance() * 100 * 2 ** tries)
    return []
  },
  async 'sends equal heartbeats, of which one is dropped'({ rules, send, chance }) {
    await rules(dropped[Math.floor(chance() * dropped.length)] ?? 'reset')
    for (let beat = 0; beat < 4; beat += 1) await send().then(() => sleep(40))
    return []
  },
  async 'sends equal heartbeats, of which the third is lost'({ rules, send }) {
    await rules('200', '200', 'lost-ack')
    for (let beat = 0; beat < 5; beat += 1) await send().then(() => sleep(40))
    return []
  },
  async 'is two processes with one key'({ rules, send, chance }) {
    const isRead = chance() < 0.5
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const
    for (const [index, agent] of agents.entries()) await send({ agent, isRead, more: { value: String(index) } })
    await rules(chance() < 0.5 ? '429;retry-after=9' : 'lost-ack')
    for (const agent of agents) await send({ agent, isRead: isRead })
    for (const agent of agents) agent.destroy()
    return []
  },
  async 'checks one refusal after the other'({ rules, send }) {
    for (const scenario of ['403', '404', '429;retry-after=9', '503;retry-after=9'])
      await rules(scenario).then(() => send({ isRead: true }))
    return []
  },
  async 'clicks a second time, and reloads'({ rules, send, chance }) {
    await rules('429;retry-after=9', '503;retry-after=9', '403')
    for (let click = 0; click < 4; click += 1) await send({ isRead: chance() < 0.5 }).then(() => sleep(chance() * 50))
    return []
  },
  async 'sends two orders with equal contents and ids of their own'({ rules, send }) {
    await rules('lost-ack')
    for (const id of ['a', 'b']) await send({ id, more: { eventAt: '2026-01-15T12:00:00Z' } })
    return []
  },
  async 'loses a response and sends the event again without an id'({ rules, send, chance, advance }) {
    await rules(stored[Math.floor(chance() * stored.length)] ?? 'lost-ack')
    const how = { ...(chance() < 0.5 && { count: 0 }), ...(chance() < 0.3 && { id: '' }) }
    for (const by of ['1ms', '1ms', '2m'].slice(chance() * 2)) await send(how).then(() => advance(by))
    return ['same-insert-id']
  },
  async 'renews the id, the time or a counter after a lost response'({ rules, send, chance }) {
    await rules('lost-ack')
    const renew = [
      (value: string) => ({ id: value }),
      (value: string) => ({ more: { eventAt: `2026-01-15T12:00:0${value}Z` } }),
      (value: string) => ({ more: { properties: { attempt: value } } }),
    ][Math.floor(chance() * 3)]
    for (const value of ['1', '2']) await send(renew?.(value))
    return ['same-insert-id']
  },
  async 'changes the id of a counted retry'({ rules, send }) {
    await rules('500')
    for (const count of [0, 1]) await send({ id: `id-${count}`, count }).then(() => sleep(100))
    return ['same-insert-id']
  },
  async 'hedges a write without an id, and gives up the slower one'({ rules, send }) {
    await rules('slow;ms=600')
    await Promise.all([send({ giveUpMs: 300 }), sleep(60).then(() => send())])
    return ['same-insert-id']
  },
  async 'ignores Retry-After in one of its forms'({ rules, send, chance }) {
    const form = ['9', 'date', '9;retry-after-ms=none'][Math.floor(chance() * 3)]
    await rules(`${chance() < 0.5 ? 429 : 503};retry-after=${form}`)
    const how = { id: 'a', ...(chance() < 0.5 && { count: 0 }) } // of an outer loop
    for (const _ of [1, 2]) await send(how).then(() => sleep(100))
    return ['retry-after']
  },
  async 'repeats a refused call, and counts it'({ rules, send }) {
    await rules('403')
    for (const count of [0, 1]) await send({ id: 'a', count }).then(() => sleep(100))
    return ['no-retry']
  },
  async 'nests retries, of which the inner ones are counted'({ rules, send, chance }) {
    const isLost = chance() < 0.5
    await rules(...(isLost ? ['lost-ack', '500'] : ['500', '429;retry-after=9']))
    for (const count of [0, 1, 0]) await send({ count, ...(!isLost && { id: 'a' }) }).then(() => sleep(100))
    return [isLost ? 'same-insert-id' : 'retry-after']
  },
  async 'orders the query of a counted retry in another way'({ rules, send }) {
    await rules('503;retry-after=9')
    for (const [count, query] of ['period=7d&lang=en', 'lang=en&period=7d'].entries())
      await send({ isRead: true, query, count }).then(() => sleep(50))
    return ['retry-after']
  },
  async 'has many calls open, of which it repeats the first'({ rules, send }) {
    await rules('lost-ack', ...Array(150).fill('500'))
    for (let number = 0; number <= 150; number += 1) await send({ more: { value: String(number) } })
    await send({ more: { value: '0' } })
    return ['same-insert-id']
  },
  async 'steers each call by headers, then calls without'({ rules, send }) {
    await rules()
    for (const scenario of ['403', '404', '429;retry-after=9', 'lost-ack', ''])
      await send(scenario === '' ? {} : { headers: { 'x-sim-scenario': scenario } })
    return []
  },
  async 'is two users behind a proxy'({ rules, send, chance }) {
    await rules(chance() < 0.5 ? '429;retry-after=9' : 'lost-ack')
    for (const user of ['192.0.2.1', '192.0.2.2']) await send({ headers: { 'x-forwarded-for': user } })
    return []
  },
  async 'goes on with another path while one is limited'({ rules, send }) {
    await rules('429;retry-after=9')
    for (const isRead of [true, false, true]) await send({ isRead, query: `period=${isRead ? 7 : 30}d` })
    return []
  },
  async 'waits on timers that move the clock of the sandbox'({ rules, send, advance }) {
    await rules('429;retry-after=9', '500', '500', '503;retry-after=9')
    for (let count = 0; count < 5; count += 1) await send({ id: 'a', count }).then(() => advance('9s'))
    return []
  },
  async 'is a pool of workers that keep ids, count and wait'({ rules, send, chance }) {
    await rules(...Array.from({ length: 6 }, () => faults[Math.floor(chance() * faults.length)] ?? '500'))
    const work = async (id: string) => {
      for (let count = 0; count < 8; count += 1) {
        const { status, waitMs } = await send({ id, count })
        if (status < 400) break
        await sleep(waitMs + 30 + chance() * 100 * 2 ** count)
      }
    }
    await Promise.all(['a', 'b', 'c'].map(work))
    return []
  },
  async 'hedges a read, and a write with an id'({ rules, send, chance }) {
    await rules('slow;ms=600')
    const how = chance() < 0.5 ? { isRead: true } : { id: 'a' }
    await Promise.all([send({ ...how, giveUpMs: 300 }), sleep(60).then(() => send(how))])
    return []
  },
  async 'tries 25 times in a row'({ rules, send }) {
    await rules(...Array(99).fill('500'))
    for (let inRow = 0, before = 0; inRow < 25; before = performance.now()) {
      await send({ isRead: true }).then(() => sleep(20))
      inRow = performance.now() - before < 200 ? inRow + 1 : 0 // a busy machine waits longer
    }
    return ['back-off']
  },
}

function createClient(origin: string, sandbox: string, chance: () => number): Client {
  const own = new Agent({ keepAlive: chance() < 0.7 })
  return {
    chance,
    rules: (...scenarios) =>
      putRules(
        { origin },
        scenarios.map((scenario) => ({ scenario, times: 1 })),
        sandbox,
      ),
    advance: (by) => steer({ origin }, 'POST', `/clock/advance?sandbox=${sandbox}`, { by }),
    send: ({
      id,
      count,
      more,
      agent = own,
      giveUpMs = timeoutMs,
      isRead = false,
      query = 'period=7d',
      ...how
    } = {}) => {
      const headers = {
        authorization: 'Bearer any-key',
        'user-agent': 'test',
        'x-sim-sandbox': sandbox,
        ...(!isRead && { 'content-type': 'application/json' }),
        ...(count !== undefined && { 'x-stainless-retry-count': String(count) }),
        ...how.headers,
      }
      const path = isRead ? `${analyticsPath}?${query}` : '/v1/events'
      return new Promise((resolve) => {
        const fail = () => resolve({ status: 599, waitMs: 0 })
        const options = { method: isRead ? 'GET' : 'POST', agent, headers, signal: AbortSignal.timeout(giveUpMs) }
        request(origin + path, options, (response) => {
          const { statusCode: status = 0, headers: received } = response
          const after = received['retry-after'] ?? '0'
          const inSeconds = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now()
          const waitMs = Number(received['retry-after-ms'] ?? inSeconds)
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
}

/** Runs a client. Returns the findings that its log contradicts, and the mistakes neither found nor counted. */
async function runClient(origin: string, name: string) {
  const chance = seededChance(name)
  const [kind, run] = Object.entries(kinds)[Math.floor(chance() * Object.keys(kinds).length)] ?? expect.unreachable()
  const sandbox = `run-${name}`
  const mistakes = await run(createClient(origin, sandbox, chance))
  await ask({ origin }, `/__sim/verify?sandbox=${sandbox}`, {
    token: null,
    body: { count: { atLeast: 1 }, withinMs: 500 },
  })
  await sleep(20) // a lost response is recorded when its connection has closed
  const { retries } = await readControl<ControlSchemas['Report']>({ origin }, `/report?sandbox=${sandbox}`)
  const found = retries.findings.map(({ rule }) => rule)
  return {
    name: `${name}: ${kind}`,
    contradicted: found.filter((rule) => !mistakes.includes(rule)),
    missed: retries.notJudged.length > 0 ? [] : mistakes.filter((rule) => !found.some((one) => one === rule)),
  }
}

test(`no finding contradicts a client's log, and no mistake is missed silently, in ${seeds.length} runs`, {
  timeout: 7_200_000,
}, async () => {
  const command = convsim(['serve', '--port', '0', '--state', ':memory:', '--log-level', 'error'])
  const origin = await command.ready()
  const left = [...seeds]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { name, ...result } = await runClient(origin, next)
      expect.soft({ name, ...result }).toEqual({ name, contradicted: [], missed: [] })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
})
