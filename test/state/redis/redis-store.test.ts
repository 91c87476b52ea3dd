import type { OpenedRedisStore } from '../../../src/state/redis/open-redis-store.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { conformance } from '../conformance.ts'
import { stateProperty } from '../property.ts'
import { replicaSuite } from '../replicas.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

describeWithRedis('with Redis', () => {
  const redis = sharedRedis()

  conformance('the Redis store', async () => (await openRedisOrFail(redis().url, nextPrefix())).store)

  // Two replicas take turns, so each must see the other's writes.
  stateProperty(async () => {
    const prefix = nextPrefix()
    const open = () => openRedisOrFail(redis().url, prefix)
    let replicas = [await open(), await open()]
    const all = [...replicas]
    let turns = 0
    return {
      get store() {
        return (replicas[turns % 2] as OpenedRedisStore).store // there are two
      },
      takeTurns() {
        turns += 1
      },
      async restart(isGraceful) {
        const [first, second] = replicas
        if (!first || !second) throw new Error('there are fewer than two replicas')
        if (isGraceful) await first.store.close()
        else first.connection.close()
        replicas = [second, await open()]
        all.push(...replicas)
      },
      async close() {
        for (const { store } of all) await store.close()
      },
    }
  }, 40)

  replicaSuite('the Redis store', async (count) => {
    const prefix = nextPrefix()
    const opened = await Promise.all(Array.from({ length: count }, () => openRedisOrFail(redis().url, prefix)))
    return opened.map(({ store }) => store)
  })
})
