import type { SandboxExport, StoredEvent, StoredPrompt } from '../../src/state/records.ts'

/** The state file as a person who opens it sees it. */
export interface StateFile {
  readonly sandboxes: readonly (SandboxExport & { readonly name: string })[]
}

export function parseStateFile(text: string): StateFile {
  return JSON.parse(text)
}

/** All events of one sandbox. */
export function eventsIn(state: StateFile, sandbox = 'default'): readonly StoredEvent[] {
  return state.sandboxes.find(({ name }) => name === sandbox)?.events ?? []
}

/** All prompts of one sandbox. */
export function promptsIn(state: StateFile, sandbox = 'default'): readonly StoredPrompt[] {
  return state.sandboxes.find(({ name }) => name === sandbox)?.prompts ?? []
}
