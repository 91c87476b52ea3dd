import { expect, test, vi } from 'vitest'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { context, event, product } from '../drafts.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

const query = { productIds: [product], from: '2026-01-01', to: '2026-01-15' }

describeWithRedis('a request to a state in Redis', () => {
  const redis = sharedRedis()

  async function openTwo() {
    const prefix = nextPrefix()
    const [one, other] = [await openRedisOrFail(redis().url, prefix), await openRedisOrFail(redis().url, prefix)]
    /** Reads what a GET of analytics reads, and counts the commands. */
    const read = async () => {
      const spies = [vi.spyOn(one.connection, 'call'), vi.spyOn(one.connection, 'run')]
      await one.shared.readRecord('default')
      const [impact, { weight }] = await Promise.all([
        one.store.eventImpact('default', query),
        one.store.getQuality('default'),
      ])
      const trips = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
      for (const spy of spies) spy.mockRestore()
      return { trips, weight, events: impact.get('2026-01-15')?.events }
    }
    return { one, other, read }
  }

  test('that reads settings, impact and quality asks twice, and once while the impact stays the same', async () => {
    const { one, read } = await openTwo()
    await one.store.recordEvent(context, event())
    expect(await read()).toEqual({ trips: 2, weight: 0.1, events: 1 })
    expect(await read()).toEqual({ trips: 1, weight: 0.1, events: 1 })
  })

  test('sees each change of another replica all the same', async () => {
    const { other, read } = await openTwo()
    for (let events = 1; events <= 3; events += 1) {
      await other.store.recordEvent(context, event())
      await other.store.putQuality('default', { weight: events / 10 })
      expect(await read()).toEqual({ trips: 2, weight: events / 10, events })
    }
    await other.store.putQuality('default', { weight: 1 })
    expect(await read()).toEqual({ trips: 1, weight: 1, events: 3 })
    await other.store.reset('default')
    for (let events = 0; events < 3; events += 1) await other.store.recordEvent(context, event({ value: '7' }))
    expect(await read()).toEqual({ trips: 2, weight: 0.1, events: 3 })
  })

  test('sees no impact of discarded events that came between its readings of the head and of the sums', async () => {
    const { one, other, read } = await openTwo()
    expect(await read()).toEqual({ trips: 1, weight: 0.1, events: undefined }) // a sandbox without data
    await other.store.recordEvent(context, event())
    const run = one.connection.run.bind(one.connection)
    const late = vi.spyOn(one.connection, 'run').mockImplementationOnce(async (...command) => {
      await other.store.recordEvent(context, event())
      return run(...command)
    })
    await one.shared.readRecord('default').then(() => one.store.eventImpact('default', query))
    expect(late).toHaveBeenCalled()
    late.mockRestore()
    await one.store.reset('default')
    expect(await read()).toEqual({ trips: 1, weight: 0.1, events: undefined })
  })

  test('asks again in a later callback, when another replica may have changed something', async () => {
    const { one, other } = await openTwo()
    await one.shared.readRecord('default')
    await other.store.putQuality('default', { weight: 0.3 })
    expect(await one.store.getQuality('default')).toEqual({ weight: 0.3 })
  })

  test('that writes after a read in the same callback sees its write', async () => {
    const { one } = await openTwo()
    const [, , quality] = await Promise.all([
      one.shared.readRecord('default'),
      one.store.putQuality('default', { weight: 0.4 }),
      one.store.putQuality('default', { weight: 0.5 }).then(() => one.store.getQuality('default')),
    ])
    expect(quality).toEqual({ weight: 0.5 })
  })

  test('that records events asks once for each, also for equal ones', async () => {
    const { one } = await openTwo()
    const run = vi.spyOn(one.connection, 'run')
    const drafts = [event({ insertId: 'x' }), event({ insertId: 'x' }), event(), event(), event()]
    for (const draft of drafts) await one.store.recordEvent(context, draft)
    expect(run).toHaveBeenCalledTimes(drafts.length)
  })
})
