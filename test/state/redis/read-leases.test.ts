import { expect, test } from 'vitest'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { context, event } from '../drafts.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

describeWithRedis('a read lease', () => {
  const redis = sharedRedis()

  const openTwo = async () => {
    const prefix = nextPrefix()
    return Promise.all([openRedisOrFail(redis().url, prefix), openRedisOrFail(redis().url, prefix)])
  }
  type Opened = Awaited<ReturnType<typeof openTwo>>[0]

  const countEvents = async ({ store }: Opened) => (await store.listEvents('default')).total

  /** Reads until the next read needs no answer of Redis. */
  const readUntilLeased = async (replica: Opened) => {
    for (;;) {
      await countEvents(replica)
      if (replica.committer.refresh('default') === undefined) return
    }
  }

  test('lets a replica read what nobody changes without asking Redis', async () => {
    const [one, two] = await openTwo()
    await one.store.recordEvent(context, event())
    await readUntilLeased(one)
    await readUntilLeased(two)
    expect([await countEvents(one), await countEvents(two)]).toEqual([1, 1])
    for (const { store } of [one, two]) await store.close()
  })

  test('is over for all once another replica has changed something', async () => {
    const [one, two] = await openTwo()
    for (let count = 1; count <= 3; count += 1) {
      await readUntilLeased(one)
      await readUntilLeased(two)
      await one.store.recordEvent(context, event())
      expect(one.committer.refresh('default')).toBeInstanceOf(Promise)
      expect([await countEvents(one), await countEvents(two)]).toEqual([count, count])
    }
    await readUntilLeased(one)
    await two.store.deleteSandbox('default')
    expect([await countEvents(one), await countEvents(two)]).toEqual([0, 0])
    for (const { store } of [one, two]) await store.close()
  })

  test('is over when the copy is forgotten', async () => {
    const [one, two] = await openTwo()
    await one.store.recordEvent(context, event())
    await readUntilLeased(two)
    two.shared.forget('default')
    expect(await countEvents(two)).toBe(1)
    for (const { store } of [one, two]) await store.close()
  })
})
