import type { JournalEntry } from '../journal/entry.ts'

/** Returns the time at which a request was sent at the latest, by the process's monotonic clock, milliseconds. */
export function sentAtOf({ openedAt, receivedAt }: Pick<JournalEntry, 'openedAt' | 'receivedAt'>): number {
  return openedAt ?? receivedAt
}
