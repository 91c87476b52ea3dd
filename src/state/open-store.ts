import { type Result, success } from '../core/result.ts'
import { type FileStoreOptions, type OpenedStore, openFileStore } from './file/file-store.ts'
import { createMemoryStore } from './memory/memory-store.ts'
import type { Store } from './store.ts'

/** Opens the store that `--state` names: `:memory:`, or the path of a file. The error is a sentence with the next step. */
export async function openStore(
  location: string,
  options: FileStoreOptions = {},
): Promise<Result<OpenedStore>> {
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
