import { execFileSync } from 'node:child_process'
import { expect, test as plainTest } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/core/json.ts'
import { call, event, objectOf, analyticsPath as path } from '../../support/client.ts'
import { callControl, putRules } from '../../support/control.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { listRequests, readRetries } from '../../support/stored-records.ts'
import { startReplicas } from './start-replicas.ts'

const operation = 'getModelAnalytics'

type Target = { readonly origin: string }
const verify = (target: Target, body: Json) => call(target, '/__sim/verify', { body })

describeWithRedis('with a journal shared by replicas,', () => {
  const redis = sharedRedis()
  const test = plainTest.extend('replicas', () => startReplicas(redis()))

  test('every replica lists and counts each request as soon as any replica has handled it', async ({ replicas }) => {
    for (let index = 0; index < 12; index += 1) {
      await call(replicas[index % 3] ?? replicas[0], path)
      for (const replica of replicas)
        expect(await verify(replica, { operation, count: { exactly: index + 1 } })).toMatchObject({
          status: 200,
          body: { satisfied: true, count: index + 1, truncated: false },
        })
    }
    const lists = await Promise.all(replicas.map((replica) => callControl(replica, 'GET', '/requests')))
    expect(lists[0]).toMatchObject({ total: 12, recorded: 12, dropped: 0, truncated: false })
    expect([lists[1], lists[2]]).toEqual([lists[0], lists[0]])
  })

  test('request IDs are unique, so any replica can find a request or record its replay', async ({ replicas }) => {
    const ids: string[] = []
    for (const replica of replicas) {
      const { headers } = await call(replica, path)
      ids.push(headers.get('x-request-id') ?? '')
    }
    expect(new Set(ids).size).toBe(3)
    for (const [index, id] of ids.entries()) {
      const replay = await call(replicas[1], path, { headers: { 'x-sim-replay-of': id } })
      expect(replay.status).toBe(200)
      const recorded = await callControl(replicas[2], 'GET', `/requests/${replay.headers.get('x-request-id')}`)
      expect(recorded).toMatchObject({ replayOf: ids[index] })
      expect(await callControl(replicas[0], 'GET', `/requests/${id}`)).toMatchObject({ id })
    }
  })

  test('a waiting verification counts a request to another replica', async ({ replicas: [one, two] }) => {
    const waiting = verify(one, { operation: 'createEvent', match: { body: { value: '7' } }, withinMs: 30_000 })
    await call(two, '/v1/events', { body: event({ value: '7' }) })
    expect(await waiting).toMatchObject({ status: 200, body: { satisfied: true, count: 1 } })
  })

  test('one replica can clear the journal for all replicas', async ({ replicas: [one, two, three] }) => {
    await Promise.all([call(one, path), call(two, path), call(three, path)])
    await callControl(two, 'DELETE', '/requests')
    await call(three, path)
    for (const replica of [one, two, three])
      expect(await callControl(replica, 'GET', '/requests')).toMatchObject({ total: 1, truncated: false })
    await callControl(one, 'POST', '/reset')
    expect(await callControl(three, 'GET', '/requests')).toMatchObject({ total: 0 })
  })

  test('the summary, coverage and retries are the same as with a single replica', async ({ replicas }) => {
    const [one, two, three] = replicas
    const single = (await startReplicas(redis()))[0]
    const retried = event({ insertId: 'y' })
    const send = async (targets: readonly Target[]) => {
      const at = (index: number) => targets[index % targets.length] ?? one
      await call(at(0), path)
      await call(at(1), '/v1/events', { body: event({ insertId: 'x' }) })
      await call(at(2), '/v1/events', { body: event({ value: 7 }) })
      await putRules(at(0), [{ scenario: 'rate-limited;retry-after=5', times: 1 }])
      await call(at(0), '/v1/events', { body: retried })
      await call(at(1), '/v1/events', { body: retried })
      await call(at(2), `/v1/models/not-an-id/analytics`)
    }
    await send(replicas)
    await send([single])
    const reports = await Promise.all(
      [one, two, three, single].map(async (target) => {
        const { run: _, ...report } = objectOf(await call(target, '/__sim/report?format=json'))
        return JSON.parse(JSON.stringify(report).replace(/"requests":\["[^\]]*\]/g, '"requests":[]'))
      }),
    )
    expect(reports[1]).toEqual(reports[0])
    expect(reports[2]).toEqual(reports[0])
    const summaryOf = ({ summary, coverage }: JsonObject) => ({ summary, coverage })
    expect(summaryOf(reports[3])).toEqual(summaryOf(reports[0]))
    expect(reports[0]).toMatchObject({ requests: 6, retries: { findings: [{ rule: 'retry-after' }] } })
    const attempts = async (target: Target) => {
      const { chains, truncated } = await readRetries(target)
      return [chains.map((chain) => chain.attempts.length), truncated]
    }
    expect(await attempts(two)).toEqual([[1, 2, 1], false])
    expect(await attempts(three)).toEqual(await attempts(single))
  })

  test('the journal keeps the requests to a replica that has stopped', async ({ replicas: [one, two, three] }) => {
    await call(two, path)
    await two.close()
    await call(three, path)
    expect(await callControl(one, 'GET', '/requests')).toMatchObject({ total: 2, truncated: false })
  })

  test.for(['200', 'dribble;ms=20', 'malformed-json', 'reset'])(
    'another replica lists an exchange with the scenario %s as soon as the exchange ends',
    async (scenario, { replicas: [one, two] }) => {
      const headers = { 'x-sim-scenario': scenario }
      const outcome = /malformed|reset/.test(scenario) ? 'damaged' : 'delivered'
      for (const count of [1, 2, 3]) {
        await call(one, '/v1/events', { body: event(), headers }).catch(() => undefined)
        expect(await listRequests(two)).toMatchObject(Array(count).fill({ delivery: { outcome } }))
      }
    },
  )

  test.for([
    ['hang', 'damaged'],
    ['slow;ms=60000', 'client-gone'],
    ['dribble;ms=60000', 'client-gone'],
  ])(
    'every replica reports the retry problem of a client that gave up during %s',
    async ([scenario = '', outcome], { replicas: [one, two] }) => {
      const first = { body: event({ insertId: 'first' }), headers: { 'retry-attempt': '0' }, scenario }
      const lost = call(one, '/v1/events', { ...first, signal: AbortSignal.timeout(1500) })
      await expect(lost).rejects.toThrow()
      const readDelivery = async () => {
        const [exchange] = await listRequests(two)
        return exchange && exchange.tookMs > 250 ? exchange.delivery : undefined
      }
      await expect.poll(readDelivery, { timeout: 30_000 }).toMatchObject({ outcome })
      const retry = { body: event({ insertId: 'second' }), headers: { 'retry-attempt': '1' } }
      expect((await call(two, '/v1/events', retry)).status).toBe(201)
      const findings = [{ rule: 'same-insert-id', count: 1 }]
      for (const replica of [one, two])
        expect(await callControl(replica, 'GET', '/retries')).toMatchObject({ problems: { findings } })
    },
  )

  test('pages and streams can continue on any replica, since replicas share request numbers', async ({ replicas }) => {
    for (const replica of [...replicas, ...replicas]) await call(replica, path)
    const numbers: number[] = []
    for (const replica of [...replicas, ...replicas]) {
      const page = await listRequests(replica, `limit=1&cursor=${numbers.at(-1) ?? 0}`)
      numbers.push(...page.map(({ number }) => number))
    }
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6])
    const stream = await fetch(`${replicas[1].origin}/__sim/requests/stream`, { headers: { 'last-event-id': '4' } })
    let text = ''
    for await (const piece of stream.body ?? []) {
      text += new TextDecoder().decode(piece)
      if (text.includes('id: 6')) break
    }
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(['5', '6'])
  })

  test('the shared journal contains the hash of a token, but not the token', async ({ replicas: [one, two] }) => {
    const token = 'sk-very-secret-1234'
    await call(one, '/v1/events', { token, body: event({ properties: { note: `key ${token}` } }) })
    expect((await call(two, '/__sim/requests?bodies=true')).text).not.toContain(token)
    const redisCli = (...args: string[]) =>
      execFileSync('redis-cli', ['-p', `${redis().port}`, ...args], { encoding: 'utf8' })
    const streams = redisCli('--scan', '--pattern', '*:journal').trim().split('\n')
    const messages = streams.map((stream) => redisCli('xrange', stream, '-', '+')).join('')
    expect([messages.includes('sha256:'), messages.includes(token)]).toEqual([true, false])
  })
})
