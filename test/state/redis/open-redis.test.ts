import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { RedisConnection } from '../../../src/state/redis/connection.ts'
import { parseRedisUrl } from '../../../src/state/redis/location.ts'
import { openRedisStore } from '../../../src/state/redis/redis-store.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { context, event, prompt } from '../drafts.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

describeWithRedis('a state in Redis', () => {
  const redis = sharedRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] })

  test('of another format is refused, and stays as it is', async () => {
    const prefix = nextPrefix()
    const { store, connection } = await openRedisOrFail(redis().url, prefix)
    await connection.call('set', `{${prefix}}:format`, 'convsim state 99')
    const location = parseRedisUrl(redis().url, prefix)
    const opened = location.ok ? await openRedisStore(location.value) : location
    expect(opened.ok ? '' : opened.error).toBe(
      `The state in ${redis().url} cannot be used: the keys with the prefix "${prefix}" have the format "convsim state 99", and this version knows "convsim state 1". Use the version that wrote them, or another prefix (--state-prefix).`,
    )
    expect(await connection.call('get', `{${prefix}}:format`)).toBe('convsim state 99')
    await store.close()
  })

  test('whose mark of the format is a key of another program is refused', async () => {
    const prefix = nextPrefix()
    const { store, connection } = await openRedisOrFail(redis().url, prefix)
    await connection.call('del', `{${prefix}}:format`)
    await connection.call('rpush', `{${prefix}}:format`, 'x')
    await expect(openRedisOrFail(redis().url, prefix)).rejects.toThrow(
      /cannot be used: another program uses a key with this prefix\. Choose another prefix \(--state-prefix\)\./,
    )
    await store.close()
  })

  test('is marked with its format again after the server was emptied', async () => {
    const prefix = nextPrefix()
    const { store, connection } = await openRedisOrFail(redis().url, prefix)
    await store.recordEvent(context, event())
    await connection.call('flushall')
    await store.recordEvent(context, event())
    expect(await connection.call('get', `{${prefix}}:format`)).toBe('convsim state 1')
    await store.close()
  })

  test.each([
    ['log', (connection: RedisConnection, key: string) => connection.call('rpush', key, 'no JSON')],
    ['snapshot', (connection: RedisConnection, key: string) => connection.call('set', key, 'no JSON')],
  ])('names sandbox and key if the %s is damaged', async (name, damage) => {
    const prefix = nextPrefix()
    const one = await openRedisOrFail(redis().url, prefix)
    const two = await openRedisOrFail(redis().url, prefix)
    await one.store.recordEvent(context, event())
    const key = `{${prefix}:default}:${name}`
    await damage(one.connection, key)
    two.shared.forget('default')
    await expect(two.store.listEvents('default')).rejects.toThrow(
      `The sandbox "default" cannot be read: the key ${key} of Redis is damaged (`,
    )
    await one.connection.call('del', key, `{${prefix}:default}:head`)
    expect((await two.store.listEvents('default')).total).toBe(0)
    for (const { store } of [one, two]) await store.close()
  })

  test('whose server asks for no password gets a warning of the given one', async () => {
    const url = redis().url.replace('redis://', 'redis://:given@')
    const { store, loaded } = await openRedisOrFail(url, nextPrefix())
    expect(loaded.warnings).toContainEqual(expect.stringContaining('asks for no password'))
    await store.close()
  })

  test('is refused where another kind of server listens', async () => {
    const server = createServer()
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    await expect(openRedisOrFail(`redis://127.0.0.1:${port}`, nextPrefix())).rejects.toThrow(
      `The state in redis://127.0.0.1:${port} cannot be used: the server there does not answer as Redis does. Look at host and port, or choose a file: --state FILE.`,
    )
  })

  test('that is refused leaves no timer, which would delay the end of the process', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await expect(openRedisOrFail('redis://127.0.0.1:1', nextPrefix())).rejects.toThrow(/ECONNREFUSED/)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is read from a snapshot and the rest of the log, which stays short', async () => {
    const prefix = nextPrefix()
    const { store, connection } = await openRedisOrFail(redis().url, prefix, { snapshotFrom: 5000 })
    for (let index = 0; index < 200; index += 1)
      await store.recordEvent(context, event({ insertId: `e${index}` }))
    await store.addPromptVersion(context, prompt())
    await store.createSnapshot(context, 'kept')
    await store.recordEvent(context, event({ insertId: 'e0' }))
    expect(Number(await connection.call('llen', `{${prefix}:default}:log`))).toBeLessThan(200)
    const before = await store.exportSandbox('default')
    const again = await openRedisOrFail(redis().url, prefix)
    expect(again.loaded).toMatchObject({ sandboxes: 1 })
    expect(await again.store.size()).toEqual({ sandboxes: 1, events: 200, prompts: 1 })
    expect(await again.store.exportSandbox('default')).toEqual(before)
    expect(await again.store.listSnapshots('default')).toEqual(await store.listSnapshots('default'))
    await store.close()
    await again.store.close()
  })

  test('has no keys but the format and the counts after its sandboxes are deleted', async () => {
    const prefix = nextPrefix()
    const { store, shared, connection } = await openRedisOrFail(redis().url, prefix)
    await store.recordEvent(context, event())
    await store.nextSequenceIndex('default', 's')
    await store.consumeRate(context, 'key', 1, 1000)
    await shared.updateRecord('worker', () => ({ record: { seed: '7' }, result: undefined }))
    await store.deleteSandbox('default')
    await store.deleteSandbox('worker')
    const keys = async () => ((await connection.call('keys', `{${prefix}*`)) as string[]).sort()
    // The mark of a change is gone after some milliseconds.
    await vi.waitFor(async () => expect(await keys()).toEqual([`{${prefix}}:created`, `{${prefix}}:format`]))
    await store.close()
  })

  test('whose server deletes keys when its memory is full gets a warning', async () => {
    const { store, loaded } = await openRedisOrFail(redis().url, nextPrefix())
    expect(loaded.warnings).toEqual([expect.stringContaining('allkeys-lru')])
    await store.close()
  })

  test('is not taken for a silent one while the process itself is busy, as with the decoding of a large sandbox', async () => {
    const { store } = await openRedisOrFail(redis().url, nextPrefix(), { commandMs: 300 })
    const written = store.recordEvent(context, event())
    await new Promise(setImmediate) // the command is sent in the next turn
    const end = Date.now() + 1000
    while (Date.now() < end);
    expect((await written).replayed).toBe(false)
    expect(await store.findOutage()).toBeUndefined()
    await store.close()
  })

  test('is answered again with what a new, empty Redis has, after the old one is lost', async () => {
    const prefix = nextPrefix()
    const { store } = await openRedisOrFail(redis().url, prefix)
    await store.recordEvent(context, event({ insertId: 'x' }))
    await redis().kill()
    await expect(store.recordEvent(context, event({ insertId: 'y' }))).rejects.toThrow(/127\.0\.0\.1/)
    await redis().start()
    while ((await store.findOutage()) !== undefined) await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await store.recordEvent(context, event({ insertId: 'x' }))).replayed).toBe(false)
    expect((await store.listEvents('default')).total).toBe(1)
    await store.close()
  })
})
