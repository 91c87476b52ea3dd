import type { Settings } from '../../../src/server/settings/settings.ts'
import type { RedisServer } from '../../support/redis.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'

let prefixCount = 0

/** Starts three simulators for one test. They share a new, empty state unless `settings` selects another state. */
export async function startReplicas(
  redis: RedisServer,
  settings: Partial<Settings> = {},
): Promise<readonly [TestSimulator, TestSimulator, TestSimulator]> {
  prefixCount += 1
  const statePrefix = `api-${process.pid}-${prefixCount}`
  const start = (replica: string) =>
    startForTest({ state: redis.url, statePrefix, replica, clock: 'real', ...settings })
  return [await start('one'), await start('two'), await start('three')]
}
