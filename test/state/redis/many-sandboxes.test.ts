import { expect, test, vi } from 'vitest'
import { fillSandboxes } from '../../support/fill-sandboxes.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { context, event } from '../drafts.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

const COUNT = 2000
const LIMIT = 50

describeWithRedis('a state of many sandboxes in Redis', () => {
  const redis = sharedRedis()

  async function openMany() {
    const prefix = nextPrefix()
    const first = await openRedisOrFail(redis().url, prefix)
    await first.store.recordEvent({ ...context, sandbox: 'first' }, event({ insertId: 'e' }))
    await first.shared.updateRecord('first', () => ({ record: { seed: '7' }, result: undefined }))
    await first.store.close()
    await fillSandboxes(redis().url, prefix, COUNT)
    return openRedisOrFail(redis().url, prefix, { copyLimit: LIMIT })
  }

  test('is opened without reading them', async () => {
    const { store, loaded, committer } = await openMany()
    expect(loaded.sandboxes).toBe(COUNT + 1)
    expect(committer.state.sandboxes.size).toBe(0)
    await store.close()
  })

  test('is listed and counted by a few commands at a time, so that those of others do not wait for long', async () => {
    const { store, connection } = await openMany()
    const run = connection.run.bind(connection)
    let inProgress = 0
    let most = 0
    vi.spyOn(connection, 'run').mockImplementation((...call) => {
      inProgress += 1
      most = Math.max(most, inProgress)
      return run(...call).finally(() => {
        inProgress -= 1
      })
    })
    const listed = await store.listSandboxes()
    expect(listed.map(({ name, events }) => `${name} ${events}`)).toEqual(
      ['first', ...Array.from({ length: COUNT }, (_, index) => `copy-${index + 1}`)].map(
        (name) => `${name} 1`,
      ),
    )
    expect(await store.size()).toMatchObject({ sandboxes: COUNT + 1, events: COUNT + 1 })
    expect(most).toBeLessThan(50)
    await store.close()
  })

  test('has copies of no more than the limit in a process, and reads the others again', async () => {
    const { store, shared, committer } = await openMany()
    await store.listSandboxes()
    await vi.waitFor(() => expect(committer.state.sandboxes.size).toBe(LIMIT))
    const reads = Array.from({ length: COUNT }, async (_, index) => {
      const name = `copy-${index + 1}`
      const page = await store.listEvents(name)
      return [page.total, await shared.readRecord(name)]
    })
    for (const read of await Promise.all(reads)) expect(read).toEqual([1, { seed: '7' }])
    const again = await store.recordEvent({ ...context, sandbox: 'copy-1' }, event({ insertId: 'e' }))
    expect(again.replayed).toBe(true)
    await vi.waitFor(() => expect(committer.state.sandboxes.size).toBe(LIMIT))
    await store.close()
  })
})
