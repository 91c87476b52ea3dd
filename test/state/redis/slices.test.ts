import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type SandboxExport, type Store, StoreUnavailableError } from '../../../src/state/store.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { context, event, exportSandbox, importDocument, noon } from '../drafts.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

/** More events than a slice has. */
const COUNT = 3000

function exportOf(value: string): SandboxExport {
  const events = Array.from({ length: COUNT }, (_, index) => ({
    eventId: `10000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    fields: { ...event({ insertId: `e${index}`, value }), eventAt: new Date(noon).toISOString() },
    impact: 1,
    sampledOut: false,
    receivedAt: new Date(noon).toISOString(),
    replays: 0,
  }))
  return { format: 1, quality: { weight: 0.1 }, events, prompts: [] }
}

describeWithRedis('a sandbox that is read in slices', { tags: ['long'] }, () => {
  const redis = sharedRedis()

  /**
   * Reads until 10 readings have succeeded, while another replica writes again and again. A reading that is refused,
   * since the data were replaced too often, doubles the pause between two writes, so a slow machine succeeds as well.
   */
  async function readDuring(write: (store: Store) => Promise<unknown>, read: (store: Store) => Promise<void>) {
    const prefix = nextPrefix()
    const [one, other] = [await openRedisOrFail(redis().url, prefix), await openRedisOrFail(redis().url, prefix)]
    await importDocument(one.store, 'default', exportOf('first'))
    let [isDone, pauseMs] = [false, 1]
    const writing = async () => {
      while (!isDone) {
        await write(one.store)
        await sleep(pauseMs)
      }
    }
    const written = writing()
    try {
      for (let succeeded = 0; succeeded < 10; ) {
        try {
          await read(other.store)
          succeeded += 1
        } catch (error) {
          if (!(error instanceof StoreUnavailableError)) throw error
          pauseMs *= 2
        }
      }
    } finally {
      isDone = true
      await written
    }
  }

  test('is read before or after an import, a reset or a restore, and never in between', () =>
    readDuring(
      async (store) => {
        const { snapshotId } = await store.createSnapshot(context)
        await importDocument(store, 'default', exportOf('second'))
        await store.reset('default')
        await store.restoreSnapshot('default', snapshotId)
      },
      async (store) => {
        const { events } = await exportSandbox(store, 'default')
        const values = new Set(events.map(({ fields }) => fields.value))
        expect([0, COUNT]).toContain(events.length)
        expect(values.size).toBe(events.length === 0 ? 0 : 1)
      },
    ))
})
