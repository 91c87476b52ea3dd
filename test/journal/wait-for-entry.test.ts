import { expect, test } from 'vitest'
import { waitForEntry } from '../../src/journal/wait-for-entry.ts'
import { entryFor, journalOf, unparsed } from './entries.ts'

test('a wait ends at once if an entry came after the version was read', async () => {
  const journal = journalOf(5, 1)
  const version = await journal.version()
  journal.record(entryFor(journal), unparsed)
  expect(await waitForEntry(journal, version, 60_000, [])).toBe('entry')
  expect(journal.waiting).toBe(0)
})

test('a wait for the present version ends with the next entry, with a clearing, or with its time', async () => {
  const journal = journalOf(5, 1)
  const first = waitForEntry(journal, await journal.version(), 60_000, [])
  journal.record(entryFor(journal), unparsed)
  expect(await first).toBe('entry')
  const second = waitForEntry(journal, await journal.version(), 60_000, [])
  expect(await journal.clear(undefined)).toBe(2)
  expect(await second).toBe('entry')
  expect(await waitForEntry(journal, await journal.version(), 1, [])).toBe('time')
})
