import type { StoredEvent } from '../../src/state/records.ts'
import type { SandboxExport } from '../../src/state/store.ts'

/** The content of a state file. */
export interface StateFile {
  readonly sandboxes: readonly (SandboxExport & { readonly name: string })[]
}

/** Parses the text of a state file. */
export function parseStateFile(text: string): StateFile {
  return JSON.parse(text)
}

/** Returns all events in a sandbox. */
export function eventsIn(state: StateFile, sandbox = 'default'): readonly StoredEvent[] {
  return state.sandboxes.find(({ name }) => name === sandbox)?.events ?? []
}
