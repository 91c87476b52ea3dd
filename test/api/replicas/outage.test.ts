import { expect, test } from 'vitest'
import { call, event, analyticsPath as path } from '../../support/client.ts'
import { callControl } from '../../support/control.ts'
import { describeWithRedis, redisForTest } from '../../support/redis.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'
import { startReplicas } from './start-replicas.ts'

/** Returns the error message if the simulator fails to start with this state, or else `started`. */
const startError = (state: string): Promise<string> =>
  startForTest({ state }).then(
    () => 'started',
    (error) => error.message,
  )

type Target = Pick<TestSimulator, 'origin'>

/** Sends requests until the response has the expected status. */
const untilStatus = (target: Target, url: string, status: number) =>
  expect.poll(async () => (await call(target, url)).status).toBe(status)

const untilHealthSays = (target: Target, words: string) =>
  expect.poll(async () => (await call(target, '/__sim/health')).text).toContain(words)

describeWithRedis('when Redis cannot be used,', () => {
  test('requests get a 503 in the service’s format, health reports the outage, and no data is lost', async () => {
    const redis = await redisForTest({ durable: true })
    const [one, two] = await startReplicas(redis)
    const write = (target: Target, insertId: string) => call(target, '/v1/events', { body: event({ insertId }) })
    expect((await write(one, 'before')).status).toBe(201)
    await redis.kill()
    for (const response of [await write(one, 'away'), await call(two, path), await call(two, '/__sim/events')]) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
      expect(response.body).toEqual({ success: false, error: expect.stringContaining(`127.0.0.1:${redis.port}`) })
    }
    const body = { status: 'unhealthy', reason: expect.stringContaining('cannot be reached') }
    expect(await call(one, '/__sim/health')).toMatchObject({ status: 503, body })
    await redis.start()
    for (const replica of [one, two]) await untilStatus(replica, '/__sim/health', 200)
    expect((await write(two, 'away')).status).toBe(201)
    expect(await callControl(one, 'GET', '/events')).toMatchObject({ total: 2 })
  })

  test('refused requests are counted in their operation’s metrics, but are not in the journal', async () => {
    const redis = await redisForTest({ durable: true })
    const replicas = await startReplicas(redis)
    expect((await call(replicas[0], path)).status).toBe(200)
    await redis.kill()
    expect((await call(replicas[0], path)).status).toBe(503)
    await redis.start()
    for (const replica of replicas) await untilStatus(replica, '/__sim/health', 200)
    for (const replica of replicas)
      expect(await callControl(replica, 'GET', '/requests')).toMatchObject({ total: 1, truncated: false })
    const metrics = await call(replicas[0], '/__sim/metrics')
    expect(metrics.text).toContain('{operation="getModelAnalytics",status="503"')
  })

  test('requests are refused while Redis does not respond, and succeed when it responds again', async () => {
    const redis = await redisForTest()
    const [one] = await startReplicas(redis)
    redis.pause()
    const responses = await Promise.all(Array.from({ length: 60 }, (_, at) => call(one, path, { token: `key-${at}` })))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]))
    expect((await call(one, path)).status).toBe(503)
    redis.resume()
    await untilStatus(one, path, 200)
  })

  test.each([
    ['redis://:secret@127.0.0.1:1', /^The state in redis:\/\/127\.0\.0\.1:1 cannot be used \(.*ECONNREFUSED/],
    ['redis://:secret@', /^The URL of a Redis server must be redis:\/\/HOST/],
    ['redis://:secret%zz@cache', /is not percent-encoded: write a percent sign as %25/],
    ['redis://secret%ff@cache', /is not percent-encoded/],
    ['redis://cache/x?secret', /^The URL of a Redis server must be redis:\/\/HOST/],
  ])('starting with %s fails without showing the secret', async (state, expected) => {
    const [setting, ...message] = (await startError(state)).split(': ')
    expect([setting, message.join(': ')]).toEqual(['--state', expect.stringMatching(expected)])
    expect(message.join()).not.toContain('secret')
  })

  test('a database that the server does not have is refused', async () => {
    const redis = await redisForTest({ args: ['--databases', '4'] })
    expect(await startError(`${redis.url}/4`)).toMatch(
      /^--state: The state in redis:\/\/127\.0\.0\.1:\d+\/4 cannot be used: Redis does not have the database .* "databases"\./,
    )
  })

  test('a database that no longer exists is not replaced by another', async () => {
    const redis = await redisForTest({ durable: true, args: ['--databases', '4'] })
    const [one] = await startReplicas(redis, { state: `${redis.url}/3` })
    expect((await call(one, '/v1/events', { body: event() })).status).toBe(201)
    await redis.kill()
    await redis.start(['--databases', '3'])
    await untilHealthSays(one, 'databases')
    expect((await call(one, '/v1/events', { body: event() })).status).toBe(503)
    await redis.kill()
    await redis.start()
    await untilStatus(one, '/__sim/health', 200)
    expect(await callControl(one, 'GET', '/events')).toMatchObject({ total: 1 })
  })

  test('the reported reason is updated, for example when Redis restarts and requires a password', async () => {
    const redis = await redisForTest({ durable: true })
    const [one] = await startReplicas(redis)
    await redis.kill()
    await untilHealthSays(one, 'ECONNREFUSED')
    await redis.start(['--requirepass', 'secret'])
    await untilHealthSays(one, 'Redis requires a password')
  })

  test('a wrong password is reported as the reason, and no password is shown', async () => {
    const redis = await redisForTest({ args: ['--requirepass', 'right'] })
    const message = await startError(redis.url.replace('redis://', 'redis://:wrong-one@'))
    expect(message).toMatch(/WRONGPASS/)
    expect(message).not.toMatch(/Start that server|script|wrong-one/)
    const running = await startForTest({ state: `${redis.url.replace('redis://', 'redis://:right@')}/3` })
    const { text } = await call(running, '/__sim/info')
    expect([text.includes(`${redis.url}/3`), text.includes('right')]).toEqual([true, false])
  })
})
