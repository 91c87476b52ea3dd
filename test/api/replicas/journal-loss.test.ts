import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ask } from '../../support/client.ts'
import { steer } from '../../support/control.ts'
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

  /** Adds a replica that ended without a word to all lists of replicas. */
  function addDeadReplica(): void {
    const cli = (...args: string[]) =>
      execFileSync('redis-cli', ['-p', `${redis().port}`, ...args], { encoding: 'utf8' })
    for (const list of cli('--scan', '--pattern', '*:replicas').trim().split('\n'))
      cli('zadd', list, '1', 'dead')
  }

  test('the newest request counts, however many another replica has to send', async () => {
    const [one, two, three] = await startReplicas(redis(), { journalSize: 1000 })
    await overflow(one)
    await ask(two, path, inSandbox('fresh'))
    for (const replica of [one, two, three])
      expect(await ask(replica, '/__sim/verify?sandbox=fresh', { body: { operation } })).toMatchObject({
        status: 200,
        body: { satisfied: true, count: 1, truncated: false },
      })
  })

  test('a sandbox whose exchanges are lost is incomplete until it is cleared, and no other is', async () => {
    const [one, two] = await startReplicas(redis(), { journalSize: 1000 })
    await overflow(one)
    await ask(two, path, inSandbox('after'))
    for (const replica of [one, two])
      for (const [name, truncated] of [
        ['load', true],
        ['after', false],
        ['*', true],
      ])
        expect(await steer(replica, 'GET', `/requests?sandbox=${name}&limit=1`)).toMatchObject({ truncated })
    await steer(two, 'DELETE', '/requests?sandbox=load')
    for (const name of ['load', '*'])
      expect(await steer(one, 'GET', `/requests?sandbox=${name}`)).toMatchObject({ truncated: false })
  })

  test('the death of a replica counts for the sandboxes that were in use before, and for no other', async () => {
    const [one, two] = await startReplicas(redis())
    await ask(one, path, inSandbox('before'))
    addDeadReplica()
    await steer(one, 'GET', '/requests')
    await ask(two, path, inSandbox('after'))
    await ask(two, path, inSandbox('before'))
    for (const replica of [one, two])
      for (const [name, truncated] of [
        ['before', true],
        ['after', false],
      ])
        expect(await steer(replica, 'GET', `/requests?sandbox=${name}`)).toMatchObject({ truncated })
  })
})
