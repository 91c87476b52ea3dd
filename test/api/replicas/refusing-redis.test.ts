import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { context, exportSandbox, prompt } from '../../state/drafts.ts'
import { openRedisOrFail } from '../../state/redis/open-redis.ts'
import { call, event, analyticsPath as path } from '../../support/client.ts'
import { run } from '../../support/command.ts'
import { callControl } from '../../support/control.ts'
import { describeWithRedis, redisForTest } from '../../support/redis.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startReplicas } from './start-replicas.ts'

describeWithRedis('when Redis refuses commands,', () => {
  test.each([
    ['full memory', 'config set maxmemory', '1', '0', /Redis is out of memory\. Raise its maxmemory, .* OOM [^:]*\.$/],
    ['read-only mode', 'replicaof', '127.0.0.1 1', 'no one', /a read-only replica\. .* READONLY [^:]*\.$/],
    [
      'no Redis replica',
      'config set min-replicas-to-write',
      '1',
      '0',
      /its min-replicas-to-write\. .* NOREPLICAS [^:]*\.$/,
    ],
  ] as const)(
    'stored data can be read, refusals of changes say what to do, and health reports the reason: %s',
    async (_cause, command, begin, end, reason) => {
      const redis = await redisForTest()
      const { connection } = await openRedisOrFail(redis.url, 'admin')
      const set = (value: string) => connection.call(...(`${command} ${value}`.split(' ') as [string, ...string[]]))
      const replicas = await startReplicas(redis)
      const [one, two] = replicas
      expect((await call(one, '/v1/events', { body: event() })).status).toBe(201)
      await set(begin)
      for (let round = 0; round < 3; round += 1)
        for (const replica of replicas) {
          expect((await call(replica, path)).status).toBe(200)
          expect(await callControl(replica, 'GET', '/events')).toMatchObject({ total: 1 })
        }
      const refused = await call(two, '/v1/events', { body: event() })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
      expect(refused.body).toEqual({ success: false, error: expect.stringMatching(reason) })
      const body = { status: 'unhealthy', reason: expect.stringMatching(reason) }
      expect(await call(two, '/readyz')).toMatchObject({ status: 503, body })
      await set(end)
      expect((await call(two, '/readyz')).status).toBe(200)
      expect((await call(two, '/v1/events', { body: event() })).status).toBe(201)
      expect(await callControl(one, 'GET', '/events')).toMatchObject({ total: 2 })
    },
  )

  test.each([
    ['without @scripting', '-@scripting'],
    ['without @write', '-@write'],
    ['without @read', '-@read'],
    ['without the command HINCRBY', '-hincrby'],
    ['with access only to keys with other prefixes', 'resetkeys ~other:*'],
    ['without access to sandbox keys', 'resetkeys ~{acl}:*'],
    ['that may only read keys', 'resetkeys %R~*'],
  ])('health and startup both report that a Redis user %s lacks a permission', async (_cause, rules) => {
    const reason = /the Redis user lacks a permission\. Grant .*\. Redis responded: /
    const redis = await redisForTest()
    const { connection } = await openRedisOrFail(redis.url, 'admin')
    const allow = (rule: string) => connection.call('acl', 'setuser', 'limited', ...rule.split(' '))
    const permissions = 'reset on >pw ~{acl* +@read +@write +@scripting +@connection +info'
    await allow(permissions)
    const settings = { state: redis.url.replace('redis://', 'redis://limited:pw@'), statePrefix: 'acl' }
    const [one] = await startReplicas(redis, settings)
    const outcomes = async () => [
      (await call(one, '/readyz')).status,
      (await call(one, '/v1/events', { body: event() })).status,
    ]
    expect(await outcomes()).toEqual([200, 201])
    await allow(rules)
    const { status, body } = await call(one, '/readyz')
    expect([status, body]).toMatchObject([503, { reason: expect.stringMatching(reason) }])
    await expect(startReplicas(redis, settings)).rejects.toThrow(reason)
    expect(await outcomes()).toEqual([503, 503])
    await allow(permissions)
    await expect.poll(outcomes).toEqual([200, 201])
  })

  test('a sandbox can be deleted when memory is full, after which changes are accepted again', async () => {
    const redis = await redisForTest()
    const { store, connection: admin } = await openRedisOrFail(redis.url, 'full')
    const [one, two] = await startReplicas(redis, { statePrefix: 'full' })
    const large = { content: 'x'.repeat(100_000) }
    for (let count = 0; count < 50; count += 1) await store.addPromptVersion(context, prompt({ components: [large] }))
    expect(await callControl(one, 'GET', '/sandboxes')).toMatchObject({ sandboxes: [{ name: 'default' }] })
    const used = Number(/used_memory:(\d+)/.exec(String(await admin.call('info', 'memory')))?.[1])
    await admin.call('config', 'set', 'maxmemory', used - 2_000_000)
    expect((await call(two, '/v1/events', { body: event() })).status).toBe(503)
    const deleted = await call(two, '/__sim/sandboxes/default', { method: 'DELETE' })
    expect([deleted.status, deleted.body]).toEqual([200, { deleted: true }])
    expect((await call(one, '/v1/events', { body: event() })).status).toBe(201)
  })

  test('startup fails and reports the reason if the seed state does not fit in memory', async () => {
    const redis = await redisForTest()
    const { store, connection: admin } = await openRedisOrFail(redis.url, 'seed')
    await store.addPromptVersion(context, prompt({ components: [{ content: 'x'.repeat(2_000_000) }] }))
    const seed = join(await tempFolder(), 'seed.json')
    await writeFile(seed, JSON.stringify(await exportSandbox(store, 'default')))
    await store.deleteSandbox('default')
    const used = Number(/used_memory:(\d+)/.exec(String(await admin.call('info', 'memory')))?.[1])
    await admin.call('config', 'set', 'maxmemory', used + 500_000)
    const { code, stderr } = await run(['--port', '0', '--state', redis.url, '--seed-state', seed])
    expect(code).toBe(1)
    expect(stderr).toMatch(/cannot start:\n +--state: error: [^\n]*Redis is out of memory\. Raise its maxmemory/)
    expect(stderr).not.toContain('    at ')
  })

  test('reads are handled but not recorded, and replicas mark the affected request list as truncated', async () => {
    const redis = await redisForTest()
    const { connection: admin } = await openRedisOrFail(redis.url, 'admin')
    const [one, two] = await startReplicas(redis)
    const inMissedSandbox = { headers: { 'x-sim-sandbox': 'missed' } }
    for (const sandbox of ['missed', 'other']) await call(one, path, { headers: { 'x-sim-sandbox': sandbox } })
    await admin.call('config', 'set', 'maxmemory', '1')
    expect((await call(one, path, inMissedSandbox)).status).toBe(200)
    const list = (target: typeof one, sandbox: string) => callControl(target, 'GET', `/requests?sandbox=${sandbox}`)
    expect(await list(one, 'missed')).toMatchObject({ total: 1, truncated: true })
    await admin.call('config', 'set', 'maxmemory', '0')
    await call(one, path, inMissedSandbox)
    for (const replica of [one, two]) {
      await expect.poll(() => list(replica, 'missed'), { timeout: 30_000 }).toMatchObject({ total: 2, truncated: true })
      expect(await list(replica, 'other')).toMatchObject({ total: 1, truncated: false })
    }
  })
})
