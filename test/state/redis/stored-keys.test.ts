import { expect, test, vi } from 'vitest'
import { impactSumOf } from '../../../src/state/collections/events.ts'
import { createMemoryStore } from '../../../src/state/open-store.ts'
import { impactField, sandboxKeys } from '../../../src/state/redis/keys.ts'
import type { Store } from '../../../src/state/store.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { context, event, exportSandbox, impactQuery, importDocument, listEvents, prompt } from '../drafts.ts'
import { openNewRedis, openRedisOrFail } from './open-redis.ts'

/** Fills and reads a store, then reads it again after an import and a restore. Returns the receipts and the data. */
async function exercise(store: Store) {
  const receipts: unknown[] = []
  const sampled = { sampleRate: 0.5 }
  for (let round = 0; round < 12; round += 1) {
    const drafts = [event({ insertId: `e${round}`, ...sampled }), event(sampled), event({ insertId: `e${round >> 1}` })]
    for (const draft of drafts) receipts.push(await store.recordEvent(context, draft))
    for (const draft of [prompt(), prompt({ externalPromptId: `p${round % 3}` })]) {
      const receipt = await store.addPromptVersion(context, draft)
      receipts.push(receipt)
      await store.activateVersion('default', receipt.promptId, receipt.version.versionId)
    }
    const { snapshotId } = await store.createSnapshot(context, `round ${round}`)
    if (round % 4 === 1) await store.restoreSnapshot('default', snapshotId)
    if (round % 4 === 2) await store.deleteSnapshot('default', snapshotId)
  }
  const [first] = await store.listSnapshots('default')
  const read = async () => [
    await exportSandbox(store, 'default'),
    [...(await store.eventImpact('default', impactQuery))],
    await store.listSnapshots('default'),
    await store.listSandboxes(),
  ]
  const current = await read()
  await importDocument(store, 'default', await exportSandbox(store, 'default'))
  receipts.push(await store.recordEvent(context, event(sampled)), await store.addPromptVersion(context, prompt()))
  await store.restoreSnapshot('default', first?.snapshotId ?? '')
  return { receipts, current, restored: await read() }
}

describeWithRedis('a sandbox in Redis', () => {
  const redis = sharedRedis()

  test('has the same IDs, sampling decisions and contents as a sandbox in memory', async () => {
    const { store } = await openNewRedis(redis().url)
    expect(await exercise(store)).toEqual(await exercise(createMemoryStore()))
  })

  test('keeps its rate limit windows until a day after the longest one ends', async () => {
    const { prefix, store, connection } = await openNewRedis(redis().url)
    for (const windowMs of [604_800_000, 1000]) await store.consumeRate(context, `${windowMs}`, 1, windowMs)
    expect(Number(await connection.call('pttl', `${sandboxKeys(prefix, 'default')}windows`))).toBeGreaterThan(690e6)
  })

  test('is not half-written if a sum overflows or another program uses one of its keys', async () => {
    const { prefix, store, connection } = await openNewRedis(redis().url)
    const { event: stored } = await store.recordEvent(context, event())
    const keys = sandboxKeys(prefix, 'default')
    const before = await connection.call('dump', `${keys}head`)
    const { product: id, day } = impactSumOf(stored)
    await connection.call('hset', `${keys}impact`, impactField(id, day), '9223372036854775000')
    await expect(store.recordEvent(context, event())).rejects.toThrow(/overflow/)
    await connection.call('hdel', `${keys}impact`, impactField(id, day))
    await connection.call('set', `${keys}prompts`, 'from another program')
    await expect(store.recordEvent(context, event())).rejects.toThrow('another program uses a key with the same prefix')
    expect([await connection.call('dump', `${keys}head`), await connection.call('hlen', `${keys}events`)]).toEqual([
      before,
      1,
    ])
  })

  test('can be imported from a document in which two versions of a prompt have the same ID', async () => {
    const { store } = await openNewRedis(redis().url)
    for (const _ of [1, 2]) await store.addPromptVersion(context, prompt({ externalPromptId: 'p' }))
    const { prompts, ...others } = await exportSandbox(store, 'default')
    const [{ versions, ...head } = { versions: [] }] = prompts
    const doubled = versions.map((version) => ({ ...version, versionId: versions[0]?.versionId }))
    const document = { ...others, prompts: [{ ...head, versions: doubled }] }
    expect(await importDocument(store, 'default', document)).toMatchObject({ ok: true })
  })

  test('is unchanged if the Redis user is not allowed to restore a snapshot', async () => {
    const { url } = redis()
    const { store, connection, prefix } = await openNewRedis(url)
    await store.recordEvent(context, event())
    const { snapshotId } = await store.createSnapshot(context)
    await connection.call('acl', 'setuser', 'limited', 'on', '>pw', '~*', '&*', '+@all', '-copy')
    const limited = await openRedisOrFail(url.replace('redis://', 'redis://limited:pw@'), prefix)
    await expect(limited.store.restoreSnapshot('default', snapshotId)).rejects.toThrow('user lacks a permission')
    expect((await listEvents(store, 'default')).total).toBe(1)
  })

  test('cannot be used if the Redis user is not allowed to run scripts by their hash', async () => {
    const { connection, prefix } = await openNewRedis(redis().url)
    await connection.call('acl', 'setuser', 'no-scripts', 'on', '>pw', '~*', '&*', '+@all', '-evalsha')
    const opening = openRedisOrFail(redis().url.replace('redis://', 'redis://no-scripts:pw@'), prefix)
    await expect(opening).rejects.toThrow(/evalsha/)
  })

  test('can be written to even after the script cache in Redis is flushed', async () => {
    const { store, connection } = await openNewRedis(redis().url)
    const { event: first } = await store.recordEvent(context, event())
    await connection.call('script', 'flush')
    expect((await store.recordEvent(context, event())).event.repeatOf).toBe(first.eventId)
  })

  test('keeps no keys from a failed import', async () => {
    const { prefix, store, connection } = await openNewRedis(redis().url)
    await store.recordEvent(context, event({ insertId: 'a' }))
    const document = await exportSandbox(store, 'default')
    const listKeys = async () => ((await connection.call('keys', `{${prefix}:*`)) as string[]).sort()
    const before = await listKeys()
    const call = connection.call.bind(connection)
    const calls = vi.spyOn(connection, 'call').mockImplementation((command, ...args) => {
      return command === 'pexpire' ? Promise.reject(new Error('refused')) : call(command, ...args)
    })
    await expect(importDocument(store, 'default', document)).rejects.toThrow('refused')
    calls.mockRestore()
    expect(await listKeys()).toEqual(before)
  })

  test('contains no token, since each rate limit window is stored under a hash of its key', async () => {
    const { prefix, store, connection } = await openNewRedis(redis().url)
    await store.consumeRate(context, 'sk-secret', 5, 1000)
    const stored = JSON.stringify(await connection.call('hgetall', `${sandboxKeys(prefix, 'default')}windows`))
    expect(stored).toContain(' ')
    expect(stored).not.toContain('secret')
  })
})
