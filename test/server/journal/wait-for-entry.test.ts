import { expect, test } from 'vitest'
import { waitForEntry } from '../../../src/server/journal/wait-for-entry.ts'
import { entryFor, journalOf, unparsed } from './entries.ts'

test('a wait ends at once if an entry came after the version was read', async () => {
  const journal = journalOf(5, 1)
  const version = await journal.version()
  journal.record(entryFor(journal), unparsed)
  expect(await waitForEntry(journal, version, 60_000, [])).toBe('entry')
  expect(journal.waiting).toBe(0)
})
