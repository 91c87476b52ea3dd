import { expect, test } from 'vitest'
import type { Store } from '../../../src/state/store.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { openSlowLine } from '../../support/slow-line.ts'
import { context, event, listEvents, prompt } from '../drafts.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

describeWithRedis('a replica that is far away', () => {
  const redis = sharedRedis()

  /** Runs a write of a far replica while a near one writes the same again and again. Returns the near store. */
  async function writeFrom(far: (store: Store) => Promise<unknown>, near: (store: Store) => Promise<unknown>) {
    const prefix = nextPrefix()
    const one = await openRedisOrFail(redis().url, prefix)
    const port = await openSlowLine(redis().port, 50)
    const other = await openRedisOrFail(`redis://127.0.0.1:${port}`, prefix)
    let isDone = false
    const write = async () => {
      while (!isDone) await near(one.store)
    }
    const written = write()
    await far(other.store).finally(() => {
      isDone = true
    })
    await written
    return one.store
  }

  test('lists 3,000 events while another activates versions, which are no events', async () => {
    const activate = async (store: Store) => {
      const { promptId, version } = await store.addPromptVersion(context, prompt({ externalPromptId: 'one' }))
      await store.activateVersion('default', promptId, version.versionId)
    }
    await writeFrom(async (far) => {
      for (let count = 0; count < 3000; count += 1) void far.recordEvent(context, event({ insertId: `e${count}` }))
      expect((await listEvents(far, 'default', { eventType: event().eventType })).total).toBe(3000)
    }, activate)
  })

  test('changes all data while another writes', async () => {
    const store = await writeFrom(
      (far) => far.putQuality('default', { weight: 0.7 }),
      (near) => near.recordEvent(context, event()),
    )
    expect(await store.getQuality('default')).toEqual({ weight: 0.7 })
  })
})

describeWithRedis('a replica that does not know what another has recorded', () => {
  const redis = sharedRedis()

  test('carries out the writes that it gets at once in their order', async () => {
    const prefix = nextPrefix()
    const [one, two] = [await openRedisOrFail(redis().url, prefix), await openRedisOrFail(redis().url, prefix)]
    for (let count = 0; count < 3; count += 1) await one.store.recordEvent(context, event({ value: 'equal' }))
    const drafts = [{ value: 'equal' }, { value: '1', insertId: 'a' }, { value: 'equal' }, { value: '2' }]
    const receipts = await Promise.all(drafts.map((draft) => two.store.recordEvent(context, event(draft))))
    const { events } = await listEvents(one.store, 'default')
    expect(events.map(({ fields }) => fields.value).slice(3)).toEqual(drafts.map(({ value }) => value))
    expect(events.slice(3)).toEqual(receipts.map((receipt) => receipt.event))
  })
})
