import { type Result, success } from '../base/core/result.ts'
import { BaseStore } from './base-store.ts'
import { type OpenedStore, openFileStore } from './file/file-store.ts'
import type { FileStoreOptions } from './file/write-ahead-log.ts'
import { StateData } from './memory/state-data.ts'
import { isRedisUrl, parseRedisUrl } from './redis/location.ts'
import type { Store } from './store.ts'

export interface StoreOptions extends FileStoreOptions {
  readonly prefix: string
  /** Called with a message if Redis was emptied. */
  readonly warn: (problem: string) => void
}

/** Opens the store that `--state` specifies: `:memory:`, a Redis server or a file. The error says what to do next. */
export async function openStore(location: string, options: StoreOptions): Promise<Result<OpenedStore>> {
  if (isRedisUrl(location)) {
    const parsed = parseRedisUrl(location, options.prefix)
    if (!parsed.ok) return parsed
    const { openRedisStore } = await import('./redis/open-redis-store.ts')
    return openRedisStore(parsed.value, options)
  }
  if (location !== ':memory:') return openFileStore(location, options)
  const store = createMemoryStore()
  return success({ store, loaded: { ...(await store.size()), logEntries: 0, warnings: [] } })
}

export function createMemoryStore(): Store {
  const state = new StateData()
  return new BaseStore(state, { commit: async (change) => state.apply(change), close: async () => {} })
}
