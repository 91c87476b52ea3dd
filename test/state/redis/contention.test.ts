import { expect, test } from 'vitest'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { openSlowLine } from '../../support/slow-line.ts'
import { context, event } from '../drafts.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

describeWithRedis('replicas that append to one log at once', () => {
  const redis = sharedRedis()

  const openThree = async () => {
    const prefix = nextPrefix()
    const opened = await Promise.all([0, 1, 2].map(() => openRedisOrFail(redis().url, prefix)))
    // A write and not a read, which may begin a lease that the others must wait for.
    for (const [index, { store }] of opened.entries())
      await store.recordEvent(context, event({ insertId: `first ${index}` }))
    return opened
  }
  type Opened = Awaited<ReturnType<typeof openThree>>
  const countRepeated = (opened: Opened) =>
    opened.reduce((sum, { committer }) => sum + committer.contention.repeated, 0)
  const close = async (opened: Opened) => {
    for (const { store } of opened) await store.close()
  }
  const eventIds = (opened: Opened) =>
    Promise.all(
      opened.map(async ({ store }) =>
        (await store.exportSandbox('default')).events.map((each) => each.eventId),
      ),
    )

  test('decide nothing again if the changes do not depend on each other, and have them in one order', async () => {
    const opened = await openThree()
    const before = countRepeated(opened)
    for (let round = 0; round < 50; round += 1)
      await Promise.all(
        opened.map(({ store }, index) =>
          store.recordEvent(context, event({ insertId: `round ${round} of ${index}` })),
        ),
      )
    expect(countRepeated(opened)).toBe(before)
    const [one, two, three] = await eventIds(opened)
    expect(one).toHaveLength(153)
    expect([two, three]).toEqual([one, one])
    await close(opened)
  })

  test('decide again what depends on a change that they have not seen', async () => {
    const opened = await openThree()
    const before = countRepeated(opened)
    const draft = event({ insertId: 'same' })
    const receipts = await Promise.all(opened.map(({ store }) => store.recordEvent(context, draft)))
    expect(receipts.map(({ replayed }) => replayed).sort()).toEqual([false, true, true])
    expect(new Set(receipts.map((receipt) => receipt.event.eventId)).size).toBe(1)
    expect(countRepeated(opened)).toBeGreaterThan(before)
    await close(opened)
  })

  test('that is far away changes all data while another writes again and again', async () => {
    const prefix = nextPrefix()
    const near = await openRedisOrFail(redis().url, prefix)
    const port = await openSlowLine(redis().port, 150)
    const far = await openRedisOrFail(`redis://127.0.0.1:${port}`, prefix)
    let isDone = false
    const write = async () => {
      while (!isDone) await near.store.recordEvent(context, event())
    }
    const written = write()
    const changed = far.store.putQuality('default', { weight: 0.7 }).finally(() => {
      isDone = true
    })
    await expect(changed).resolves.toBeUndefined()
    await written
    expect(await near.store.getQuality('default')).toEqual({ weight: 0.7 })
    await close([near, far])
  })

  test('wait for the end of the longest reservation of one that has ended', async () => {
    const prefix = nextPrefix()
    const { store, connection } = await openRedisOrFail(redis().url, prefix)
    await store.recordEvent(context, event({ insertId: 'first' }))
    const [seconds] = (await connection.call('time')) as string[]
    const ends = (Number(seconds) + 4) * 1000 // in 3 to 4 seconds
    await connection.call('hset', `{${prefix}:default}:head`, 'turn', 'ended', 'turn-ends', ends)
    expect(await store.recordEvent(context, event({ insertId: 'first' }))).toMatchObject({ replayed: true })
    await store.close()
  })
})
