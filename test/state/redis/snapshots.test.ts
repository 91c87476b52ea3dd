import { createHash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { STORE_SNAPSHOT } from '../../../src/state/redis/scripts.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { context, event } from '../drafts.ts'
import { nextPrefix, openRedisOrFail } from './open-redis.ts'

/** Says whether a script that Redis has run, which its log names by a hash or shows the beginning of, stores a snapshot. */
const storesSnapshot = (script = '') =>
  script === createHash('sha1').update(STORE_SNAPSHOT).digest('hex') ||
  script.startsWith(STORE_SNAPSHOT.slice(0, 100))

describeWithRedis('replicas that find a log long enough at the same time', () => {
  const redis = sharedRedis({ args: ['--slowlog-log-slower-than', '0', '--slowlog-max-len', '100000'] })

  test('store one snapshot of it, and the next once it has grown again', async () => {
    const prefix = nextPrefix()
    const open = () => openRedisOrFail(redis().url, prefix, { snapshotFrom: 40_000 })
    const [first, ...others] = [await open(), await open(), await open()]
    const { connection } = first
    const replicas = [first, ...others].map(({ store }) => store)
    const record = (from: number, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          replicas[index % 3]?.recordEvent(context, event({ insertId: `e${from + index}` })),
        ),
      )
    const countStored = async () => {
      const commands = (await connection.call('slowlog', 'get', -1)) as [number, number, number, string[]][]
      return commands.filter(
        ([, , , [name = '', script]]) => name.startsWith('eval') && storesSnapshot(script),
      ).length
    }
    const length = () => connection.call('llen', `{${prefix}:default}:log`)

    await record(0, 150)
    await vi.waitFor(async () => expect(await length()).toBeLessThan(150))
    expect(await countStored()).toBe(1)
    await record(150, 450)
    await vi.waitFor(async () => expect(await countStored()).toBeGreaterThan(1))
    const exports = await Promise.all(replicas.map((store) => store.exportSandbox('default')))
    expect(exports.map(({ events }) => events.length)).toEqual([600, 600, 600])
    for (const store of replicas) await store.close()
  })
})
