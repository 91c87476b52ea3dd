import { insertKey } from '../events.ts'
import { externalKey } from '../prompts.ts'
import type { LogEntry } from './log-entry.ts'

/**
 * Returns the name of the only records that a change depends on and changes, so that changes with different names can be decided on the same
 * state and stored in any order. Undefined: the change depends on all records.
 */
export function conflictKey(change: LogEntry): string | undefined {
  switch (change.op) {
    case 'event': {
      const { event } = change
      const key = insertKey(event.fields)
      return key === undefined ? `payload ${event.repeatOf ?? event.eventId}` : `insertId ${key}`
    }
    case 'replay':
      return `insertId ${change.insertId}`
    case 'version': {
      const key = externalKey(change.prompt)
      return key === undefined
        ? `prompt ${change.prompt.repeatOf ?? change.prompt.promptId}`
        : `external ${key}`
    }
    default:
      return undefined
  }
}
