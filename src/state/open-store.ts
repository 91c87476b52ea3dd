import { type Result, success } from '../core/result.ts'
import { type FileStoreOptions, type OpenedStore, openFileStore } from './file/file-store.ts'
import { createMemoryStore } from './memory/memory-store.ts'
import { isRedisUrl, parseRedisUrl } from './redis/location.ts'
import type { Store } from './store.ts'

/** The options of any store. */
export interface StoreOptions extends FileStoreOptions {
  /** The beginning of the keys in Redis. */
  readonly prefix: string
  /** Receives a sentence if the clocks of this machine and of Redis differ. */
  readonly warn: (problem: string) => void
}

/**
 * Opens the store that `--state` names: `:memory:`, the URL of a Redis server, or the path of a file. The error is a
 * sentence with the next step.
 */
export async function openStore(location: string, options: StoreOptions): Promise<Result<OpenedStore>> {
  if (isRedisUrl(location)) return openShared(location, options)
  switch (location) {
    case ':memory:':
      return success(await describeStore(createMemoryStore()))
    default:
      return await openFileStore(location, options)
  }
}

/** Returns a store without a log of its own with the numbers of its records. */
async function describeStore(store: Store): Promise<OpenedStore> {
  return { store, loaded: { ...(await store.size()), journalEntries: 0, warnings: [] } }
}

/** Opens a store in Redis, whose code is loaded only then. */
async function openShared(location: string, { prefix, warn }: StoreOptions): Promise<Result<OpenedStore>> {
  const parsed = parseRedisUrl(location, prefix)
  if (!parsed.ok) return parsed
  const { openRedisStore } = await import('./redis/open-redis-store.ts')
  return openRedisStore(parsed.value, { warn })
}
