import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundledContract } from '../../../src/service/fixtures/bundled.ts'
import { ask, event } from '../../support/client.ts'
import { putRules, steer } from '../../support/control.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startReplicas } from './start-replicas.ts'

type Target = { readonly origin: string }

const send = async (target: Target) => (await ask(target, '/v1/events', { body: event() })).status

describeWithRedis('replicas with --watch', () => {
  const redis = sharedRedis()

  test('pass over the shared rules that do not fit the contract that was loaded again, and apply them once they fit', {
    tags: ['long'],
  }, async () => {
    const file = join(await tempFolder(), 'contract.yaml')
    const text = await readFile(bundledContract, 'utf8')
    await writeFile(file, text)
    const replicas = await startReplicas(redis(), { contract: file, watch: true })
    const [one, two] = replicas
    const reload = async (changed: string, number: number) => {
      await writeFile(file, changed)
      for (const replica of replicas)
        await expect
          .poll(() => steer(replica, 'GET', '/info'), { timeout: 45_000 })
          .toMatchObject({ contract: { generation: number } })
    }
    await putRules(one, [{ operation: 'createEvent', scenario: 'forbidden' }, { scenario: '429' }])
    expect([await send(one), await send(two)]).toEqual([403, 403])

    await reload(text.replaceAll('createEvent', 'createEvents'), 2)
    expect([await send(one), await send(two)]).toEqual([429, 429])
    expect(await steer(two, 'GET', '/scenarios')).toMatchObject({
      counts: { rules: [{ acted: 2, misfit: expect.stringContaining('createEvents') }, { acted: 2 }] },
    })
    expect(await steer(two, 'GET', '/requests?operation=createEvents')).toMatchObject({ total: 2 })

    await reload(text, 3)
    expect([await send(one), await send(two)]).toEqual([403, 403])
  })
})
