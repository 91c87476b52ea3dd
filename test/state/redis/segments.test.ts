import { expect, test, vi } from 'vitest'
import { createMemoryStore } from '../../../src/state/memory/memory-store.ts'
import { sandboxKeys } from '../../../src/state/redis/keys.ts'
import type { Store } from '../../../src/state/store.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { context, event, product } from '../drafts.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

/** Records events and replays, with snapshots of which most are deleted and some are restored. Returns what can be read. */
async function use(store: Store, rounds: number) {
  const kept: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    await store.recordEvent(context, event({ insertId: `e${round}` }))
    await store.recordEvent(context, event())
    await store.recordEvent(context, event({ insertId: `e${Math.floor(round / 2)}` }))
    const { snapshotId } = await store.createSnapshot(context)
    if (round % 40 === 3) kept.push(snapshotId)
    else await store.deleteSnapshot('default', snapshotId)
    if (round % 60 === 50) await store.restoreSnapshot('default', kept[0] ?? '')
  }
  const read = async () => ({
    content: await store.exportSandbox('default'),
    impact: [...(await store.eventImpact('default', { productIds: [product] }))],
    again: (await store.recordEvent(context, event({ insertId: 'e3' }))).event.replays,
  })
  const present = await read()
  const restored: unknown[] = []
  for (const snapshotId of kept) {
    await store.restoreSnapshot('default', snapshotId)
    restored.push(await read())
  }
  return { present, restored, kept }
}

describeWithRedis('the segments of a sandbox in Redis', () => {
  const redis = sharedRedis()

  test('are as many as its snapshots and a few, however many snapshots were deleted, with the same content', async () => {
    const prefix = nextPrefix()
    const { store, connection } = await openRedisOrFail(redis().url, prefix)
    const expected = await use(createMemoryStore(), 130)
    expect(await use(store, 130)).toEqual(expected)
    const { head } = sandboxKeys(prefix, 'default')
    const segments = String(await connection.call('hget', head, 'segments')).split(' ')
    expect(segments.length).toBeLessThanOrEqual(expected.kept.length + 3)
    const keys = (await connection.call('keys', `{${prefix}:default}:events:*`)) as string[]
    expect(keys.length).toBeLessThanOrEqual(2 * expected.kept.length + 3)
    await store.close()
  })

  test('have a log of replays that does not grow without bound', { tags: ['long'] }, async () => {
    const prefix = nextPrefix()
    const { store, connection } = await openRedisOrFail(redis().url, prefix)
    await store.recordEvent(context, event({ insertId: 'a' }))
    const { head, part } = sandboxKeys(prefix, 'default')
    const log = part('replay-log', String(await connection.call('hget', head, 'open')))
    const fill = "for _ = 1, 50000 do redis.call('RPUSH', KEYS[1], 0) end"
    for (let filled = 0; filled < 20; filled += 1) await connection.call('eval', fill, 1, log)
    await store.recordEvent(context, event({ insertId: 'a' }))
    expect(await connection.call('llen', log)).toBe(0)
    expect((await store.listEvents('default')).events[0]?.replays).toBe(1)
    await store.recordEvent(context, event({ insertId: 'a' }))
    await store.createSnapshot(context)
    expect(await connection.call('exists', log)).toBe(0)
    await store.close()
  })

  test('that a failed import has written are dropped', async () => {
    const prefix = nextPrefix()
    const { store, connection } = await openRedisOrFail(redis().url, prefix)
    await store.recordEvent(context, event({ insertId: 'a' }))
    const document = await store.exportSandbox('default')
    const listKeys = async () => ((await connection.call('keys', `{${prefix}:*`)) as string[]).sort()
    const before = await listKeys()
    const call = connection.call.bind(connection)
    const calls = vi.spyOn(connection, 'call').mockImplementation((command, ...args) => {
      return command === 'pexpire' ? Promise.reject(new Error('refused')) : call(command, ...args)
    })
    await expect(store.importSandbox('default', document)).rejects.toThrow('refused')
    calls.mockRestore()
    expect(await listKeys()).toEqual(before)
    await store.close()
  })

  test('hold no token, and rate windows are stored under the hash of their key', async () => {
    const prefix = nextPrefix()
    const { store, connection } = await openRedisOrFail(redis().url, prefix)
    await store.consumeRate(context, 'sk-secret', 5, 1000)
    const { windows } = sandboxKeys(prefix, 'default')
    const stored = JSON.stringify(await connection.call('hgetall', windows))
    expect(stored).toContain(' ')
    expect(stored).not.toContain('secret')
    await store.close()
  })
})
