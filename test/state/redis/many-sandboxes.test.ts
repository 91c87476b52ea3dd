import { expect, test } from 'vitest'
import { fillSandboxes } from '../../support/fill-sandboxes.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { context, event } from '../drafts.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

const COUNT = 2000

describeWithRedis('a state of many sandboxes in Redis', () => {
  const redis = sharedRedis()

  async function openMany() {
    const prefix = nextPrefix()
    const first = await openRedisOrFail(redis().url, prefix)
    await first.store.recordEvent({ ...context, sandbox: 'first' }, event({ insertId: 'e' }))
    await first.store.close()
    await fillSandboxes(redis().url, prefix, COUNT)
    return openRedisOrFail(redis().url, prefix)
  }

  test('is opened with their number alone', async () => {
    const { loaded } = await openMany()
    expect(loaded).toEqual({ sandboxes: COUNT + 1, journalEntries: 0, warnings: [] })
  })

  test('is listed in the order of their creation', async () => {
    const { store } = await openMany()
    const listed = await store.listSandboxes()
    expect(listed.map(({ name, events }) => `${name} ${events}`)).toEqual(
      ['first', ...Array.from({ length: COUNT }, (_, index) => `copy-${index + 1}`)].map((name) => `${name} 1`),
    )
    expect(await store.size()).toMatchObject({ sandboxes: COUNT + 1, events: COUNT + 1 })
  })

  test('names the newest of them, as many as are asked for', async () => {
    const { shared } = await openMany()
    expect(await shared.listSandboxes(2)).toEqual([`copy-${COUNT - 1}`, `copy-${COUNT}`])
  })
})
