import { expect, test } from 'vitest'
import { ask } from '../../support/client.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { startReplicas } from './start-replicas.ts'

const path = '/v1/models/5b7a1c52-0f0e-4d5e-9a9b-3f1f2a7c0001/analytics?period=7d'
const operation = 'getModelAnalytics'

const inSandbox = (name: string) => ({ headers: { 'x-sim-sandbox': name } })

/** Sends more requests to a replica than it holds for the others. */
async function overflow(target: { readonly origin: string }): Promise<void> {
  for (let index = 0; index < 1100; index += 100)
    await Promise.all(Array.from({ length: 100 }, () => ask(target, path, inSandbox('load'))))
}

describeWithRedis('exchanges that are lost before a replica asks for them', () => {
  const redis = sharedRedis()

  test('the newest request counts, however many another replica has to send', async () => {
    const [one, two, three] = await startReplicas(redis(), { journalSize: 1000 })
    await overflow(one)
    await ask(two, path, inSandbox('fresh'))
    for (const replica of [one, two, three])
      expect(await ask(replica, '/__sim/verify?sandbox=fresh', { body: { operation } })).toMatchObject({
        status: 200,
        body: { satisfied: true, count: 1 },
      })
  })
})
