import type { StoredEvent } from '../../src/state/records.ts'

/** A change in a state file: an event, or a version of a prompt. */
interface StoredEntry {
  readonly sandbox?: string
  readonly event?: StoredEvent
  readonly prompt?: { readonly promptId: string }
}

/** The content of a state file. */
export interface StateFile {
  readonly entries: readonly StoredEntry[]
}

/** Parses the text of a state file. */
export function parseStateFile(text: string): StateFile {
  return JSON.parse(text)
}

/** Returns all events of a sandbox. */
export function eventsIn({ entries }: StateFile, sandbox = 'default'): readonly StoredEvent[] {
  return entries.flatMap((entry) => (entry.sandbox === sandbox && entry.event ? [entry.event] : []))
}

/** Returns the ids of all prompts of a sandbox. */
export function promptsIn({ entries }: StateFile, sandbox = 'default'): readonly string[] {
  const ids = entries.flatMap((entry) => (entry.sandbox === sandbox && entry.prompt ? [entry.prompt.promptId] : []))
  return [...new Set(ids)]
}
