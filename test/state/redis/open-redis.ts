import { onTestFinished } from 'vitest'
import { parseRedisUrl } from '../../../src/state/redis/location.ts'
import { openRedisStore, type RedisStoreOptions } from '../../../src/state/redis/open-redis-store.ts'

let prefixes = 0

/** Returns a prefix that no other test in the file uses. */
export function nextPrefix(): string {
  prefixes += 1
  return `test-${prefixes}`
}

/** Timeouts, in milliseconds, that are long enough for Redis and its disk even on a busy machine. */
const longTimeouts = { commandMs: 30_000, connectMs: 30_000 }

/** Opens a Redis store that is closed after the test. Throws if the store cannot be opened. */
export async function openRedisOrFail(url: string, prefix: string, options: RedisStoreOptions = {}) {
  const location = parseRedisUrl(url, prefix)
  if (!location.ok) throw new Error(location.error)
  const opened = await openRedisStore(location.value, { ...longTimeouts, ...options })
  if (!opened.ok) throw new Error(opened.error)
  onTestFinished(() => opened.value.store.close())
  return opened.value
}

/** Opens two replicas of a Redis store with an unused prefix. They are closed after the test. */
export async function openTwoReplicas(url: string) {
  const prefix = nextPrefix()
  return [await openRedisOrFail(url, prefix), await openRedisOrFail(url, prefix)] as const
}

/** Opens a Redis store with an unused prefix. The store is closed after the test. */
export async function openNewRedis(url: string, options: RedisStoreOptions = {}) {
  const prefix = nextPrefix()
  return { prefix, ...(await openRedisOrFail(url, prefix, options)) }
}
