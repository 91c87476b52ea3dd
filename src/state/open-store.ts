import { type FileStoreOptions, type Opened, openFileStore } from './file/file-store.ts'
import { createMemoryStore } from './memory/memory-store.ts'

/** Where the state is kept, as `--state` says it: `:memory:`, or the path of a file. */
export async function openStore(where: string, options: FileStoreOptions = {}): Promise<Opened> {
  if (where !== ':memory:') return await openFileStore(where, options)
  const loaded = { sandboxes: 0, events: 0, prompts: 0, journalEntries: 0 }
  return { ok: true, store: createMemoryStore(), loaded }
}
