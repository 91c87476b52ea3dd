import { createServer } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../bench/target.ts'
import { startCuttingProxy } from '../../support/cutting-proxy.ts'
import { listenForTest } from '../../support/fake-upstream.ts'
import { describeWithRedis, redisForTest, sharedRedis } from '../../support/redis.ts'
import { context, event, exportSandbox, importDocument, listEvents, prompt } from '../drafts.ts'
import { nextPrefix, openNewRedis, openRedisOrFail } from './open-redis.ts'

describeWithRedis('state in Redis', () => {
  const redis = sharedRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] })

  test('with another format is refused and not changed', async () => {
    const { prefix, connection } = await openNewRedis(redis().url)
    await connection.call('set', `{${prefix}}:format`, 'convsim state 99')
    await expect(openRedisOrFail(redis().url, prefix)).rejects.toThrow(
      `The state in ${redis().url} cannot be used: the keys with the prefix "${prefix}" have the format ` +
        '"convsim state 99", but this version uses "convsim state 5". Use the version that wrote them, or another ' +
        'prefix (--state-prefix).',
    )
    expect(await connection.call('get', `{${prefix}}:format`)).toBe('convsim state 99')
  })

  test('whose format key belongs to another program is refused', async () => {
    const { prefix, connection } = await openNewRedis(redis().url)
    await connection.call('del', `{${prefix}}:format`)
    await connection.call('rpush', `{${prefix}}:format`, 'x')
    await expect(openRedisOrFail(redis().url, prefix)).rejects.toThrow(
      /cannot be used: another program uses a key with the same prefix\. Choose another prefix \(--state-prefix\)\./,
    )
  })

  test('that was emptied is reported exactly once by each process that has used it', async () => {
    const url = `${redis().url}/5`
    const prefix = nextPrefix()
    const problems: string[] = []
    const options = { warn: (problem: string) => void problems.push(problem) }
    const stores = [await openRedisOrFail(url, prefix, options), await openRedisOrFail(url, prefix, options)]
    await stores[0]?.connection.call('flushdb')
    await stores[0]?.store.recordEvent(context, event()) // this writes the format key again
    await openRedisOrFail(url, prefix, options) // a process that starts afterward reports nothing
    for (const { store } of [...stores, ...stores]) expect(await store.findOutage()).toBeUndefined()
    const emptied = expect.stringMatching(/^The state in redis:\/\/\S+\/5 was emptied, for example by FLUSHALL/)
    expect(problems).toEqual([emptied, emptied])
  })

  test('gets its format key back after the server is emptied', async () => {
    const { prefix, store, connection } = await openNewRedis(redis().url)
    await store.recordEvent(context, event())
    await connection.call('flushall')
    await store.recordEvent(context, event())
    expect(await connection.call('get', `{${prefix}}:format`)).toBe('convsim state 5')
  })

  test('is available again after connections break, even if they break during setup', async () => {
    const proxy = await startCuttingProxy(redis().port)
    const { store, connection } = await openNewRedis(`redis://127.0.0.1:${proxy.port}`)
    proxy.cutAfter(1)
    await expect(connection.call('ping')).rejects.toThrow('did not respond')
    proxy.cutAt('ping')
    await expect.poll(() => proxy.cuts).toBe(2)
    await expect.poll(() => store.recordEvent(context, event()).then(() => 'stored', String)).toBe('stored')
  })

  test('with damaged events causes errors that name the sandbox, and the sandbox can be deleted', async () => {
    const { prefix, store, connection } = await openNewRedis(redis().url)
    await store.recordEvent(context, event({ insertId: 'x' }))
    await connection.call('hset', `{${prefix}:default}:events`, 0, 'not JSON')
    const reason = 'The sandbox "default" cannot be read: its events in Redis are damaged ('
    await expect(listEvents(store, 'default')).rejects.toThrow(reason)
    await expect(store.recordEvent(context, event({ insertId: 'x' }))).rejects.toThrow(reason)
    expect(await store.deleteSandbox('default')).toBe(true)
    expect((await listEvents(store, 'default')).total).toBe(0)
  })

  test('causes a warning if the server evicts keys when memory is full, or ignores the URL’s password', async () => {
    const policy = expect.stringContaining('allkeys-lru')
    expect((await openNewRedis(redis().url)).loaded.warnings).toEqual([policy])
    const { loaded } = await openNewRedis(redis().url.replace('redis://', 'redis://:given@'))
    expect(loaded.warnings).toEqual(expect.arrayContaining([policy, expect.stringContaining('requires no password')]))
  })

  test('is refused if the server is not Redis', async () => {
    const port = await listenForTest(createServer())
    await expect(openRedisOrFail(`redis://127.0.0.1:${port}`, nextPrefix())).rejects.toThrow(
      `The state in redis://127.0.0.1:${port} cannot be used: that server does not respond like Redis. ` +
        'Check the host and port, or choose a file: --state FILE.',
    )
  })

  test('that cannot be reached leaves no timer that would keep the process running', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await expect(openRedisOrFail('redis://127.0.0.1:1', nextPrefix())).rejects.toThrow(/ECONNREFUSED/)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('keeps only the keys `created`, `format` and `id` after its sandboxes are deleted', async () => {
    const { prefix, store, shared, connection } = await openNewRedis(redis().url)
    await store.recordEvent(context, event())
    await store.recordEvent(context, event({ insertId: 'x' }))
    await store.addPromptVersion(context, prompt())
    const { snapshotId } = await store.createSnapshot(context)
    await store.recordEvent(context, event({ insertId: 'x' }))
    await store.createSnapshot(context)
    await importDocument(store, 'default', await exportSandbox(store, 'default'))
    await store.restoreSnapshot('default', snapshotId)
    await store.nextSequenceIndex('default', 's')
    await store.consumeRate(context, 'key', 1, 1000)
    await shared.updateSettings('worker', () => ({ settings: { seed: '7' }, result: undefined }))
    await store.deleteSandbox('default')
    await store.deleteSandbox('worker')
    const keys = (await connection.call('keys', `{${prefix}*`)) as string[]
    expect(keys.sort()).toEqual([`{${prefix}}:created`, `{${prefix}}:format`, `{${prefix}}:id`])
  })

  test('is not reported as unresponsive while the process itself is busy', async () => {
    const { store } = await openNewRedis(redis().url, { commandMs: 1000 })
    const written = store.recordEvent(context, event())
    await new Promise(setImmediate) // the command is sent in the next turn of the event loop
    const end = Date.now() + 2000
    while (Date.now() < end);
    expect((await written).replayed).toBe(false)
    expect(await store.findOutage()).toBeUndefined()
  })

  test('is empty but usable after Redis is restarted without its data', async () => {
    const { store } = await openNewRedis(redis().url)
    await store.recordEvent(context, event({ insertId: 'x' }))
    await redis().kill()
    await expect(store.recordEvent(context, event({ insertId: 'y' }))).rejects.toThrow(/127\.0\.0\.1/)
    await redis().start()
    while ((await store.findOutage()) !== undefined) await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await store.recordEvent(context, event({ insertId: 'x' }))).replayed).toBe(false)
    expect((await listEvents(store, 'default')).total).toBe(1)
  })

  test('is refused on a cluster node', async () => {
    // By default, the node's bus port is 10,000 above its client port, and another connection might use that port.
    const args = ['--cluster-enabled', 'yes', '--cluster-port', `${await freePort()}`]
    const cluster = await redisForTest({ args })
    await expect(openRedisOrFail(cluster.url, nextPrefix())).rejects.toThrow(/is a node of a cluster/)
    await expect(openRedisOrFail(`${cluster.url}/2`, nextPrefix())).rejects.toThrow(/is a node of a cluster/)
  })

  test('causes an error message in plain words if the server is killed', async () => {
    const lost = await redisForTest()
    const { store } = await openNewRedis(lost.url)
    lost.pause()
    const pending = store.recordEvent(context, event()).catch((error: Error) => error.message)
    lost.resume()
    await lost.kill()
    const outcomes = [await pending]
    for (let round = 0; round < 5; round += 1) {
      outcomes.push(await store.recordEvent(context, event()).catch((error: Error) => error.message))
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    for (const message of outcomes)
      if (typeof message === 'string')
        expect(message).toMatch(/\(the connection was (closed|reset: ECONNRESET|refused: ECONNREFUSED)\)/)
  })
})
