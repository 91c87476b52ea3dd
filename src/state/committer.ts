import type { Command } from './commands.ts'
import type { ImportChange, StateData } from './memory/state-data.ts'

/** Makes a committed change durable; the part that differs between adapters. */
export interface Committer {
  /** Calls `query` with the state as soon as all of its changes are stored, before any other change is decided. */
  read<T>(query: (state: StateData) => T | Promise<T>): T | Promise<T>
  /** Decides, applies and stores a command. Rejects, with the state as it was before, if the change cannot be stored. */
  commit<T>(command: Command<T>): Promise<T>
  /** Encodes an import in slices, between which other requests are answered, so that its later commit is short. */
  prepareImport?(change: ImportChange): Promise<void>
  /** See `Store`. A committer without this method never refuses writes for good. */
  findLoss?(): Promise<string | undefined>
  close(): Promise<void>
}
