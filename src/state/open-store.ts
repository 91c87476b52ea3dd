import { type Result, success } from '../core/result.ts'
import { type FileStoreOptions, type OpenedStore, openFileStore } from './file/file-store.ts'
import { createMemoryStore } from './memory/memory-store.ts'

/** Opens the store that `--state` names: `:memory:`, or the path of a file. The error is a sentence with the next step. */
export async function openStore(
  location: string,
  options: FileStoreOptions = {},
): Promise<Result<OpenedStore>> {
  if (location !== ':memory:') return await openFileStore(location, options)
  const store = createMemoryStore()
  return success({ store, loaded: { ...(await store.size()), journalEntries: 0 } })
}
