import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundledContract } from '../../../src/fixtures/bundled.ts'
import { ask, event } from '../../support/client.ts'
import { putRules, steer } from '../../support/control.ts'
import { documentWith } from '../../support/documents.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import type { TestSimulator } from '../../support/start.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startReplicas } from './start-replicas.ts'

type Target = { readonly origin: string }

const send = async (target: Target) => (await ask(target, '/v1/events', { body: event() })).status

const countWarnings = ({ logged }: TestSimulator) =>
  logged.filter(({ message }) => message.includes('Start all replicas')).length

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

  test('of another contract warn at the start, and pass over a rule that only they know', {
    tags: ['long'],
  }, async () => {
    const contract = await documentWith('operationId: createEvent', 'operationId: createEvents')
    const [other] = await startReplicas(redis(), { statePrefix: 'mixed' })
    const [one] = await startReplicas(redis(), { statePrefix: 'mixed', contract })
    expect(countWarnings(one)).toBe(1)
    await putRules(one, [{ operation: 'createEvents', scenario: 'forbidden' }])
    expect([await send(one), await send(other)]).toEqual([403, 201])
  })

  test.each([{ seed: '2' }, { clock: '2026-01-15T12:00:00Z' }, { plan: 'free' }, { scenario: 'forbidden' }])(
    'warn at the start if the others have other settings, the first of those with them: %j',
    async (settings) => {
      const statePrefix = `settings-${Object.keys(settings)}`
      await startReplicas(redis(), { statePrefix })
      const others = await startReplicas(redis(), { statePrefix, ...settings })
      expect(others.map(countWarnings)).toEqual([1, 0, 0])
    },
  )
})
