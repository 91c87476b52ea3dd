import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { conformance } from '../conformance.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

describeWithRedis('with Redis', () => {
  const redis = sharedRedis()

  conformance('the store in Redis', async () => (await openRedisOrFail(redis().url, nextPrefix())).store)
})
