import { describe, expect, test } from 'vitest'
import { captureBody, maxResponseBodyBytes } from '../../../src/server/journal/entry-json.ts'
import type { EntryRange } from '../../../src/server/journal/entry-ring.ts'
import { Journal } from '../../../src/server/journal/journal.ts'
import { entryFor, journalOf, unparsed } from './entries.ts'

const entries = async (journal: Journal, range: EntryRange = {}) => (await journal.list(range)).entries

const numbers = async (journal: Journal, range: EntryRange = {}) =>
  (await entries(journal, range)).map(({ number }) => number)

async function countStored(journal: Journal): Promise<number> {
  const { recorded, dropped } = await journal.counts(undefined)
  return recorded - dropped
}

test('a body is captured completely or truncated at the given limit, and its full size is recorded', () => {
  const small = 'é'.repeat(maxResponseBodyBytes)
  expect(captureBody(small, maxResponseBodyBytes)).toEqual({ latin1: small, size: maxResponseBodyBytes })
  const large = `${small}ÿ`
  expect(captureBody(large)).toEqual({ latin1: large, size: maxResponseBodyBytes + 1 })
  expect(captureBody(large, maxResponseBodyBytes)).toEqual({ latin1: small, size: maxResponseBodyBytes + 1 })
})

describe('a journal', () => {
  test.each([
    { size: 5, count: 0, stored: [] },
    { size: 5, count: 3, stored: [1, 2, 3] },
    { size: 5, count: 5, stored: [1, 2, 3, 4, 5] },
    { size: 5, count: 6, stored: [2, 3, 4, 5, 6] },
    { size: 5, count: 23, stored: [19, 20, 21, 22, 23] },
    { size: 1, count: 4, stored: [4] },
    { size: 0, count: 4, stored: [] },
  ])('of size $size stores $stored after $count entries', async ({ size, count, stored }) => {
    const journal = journalOf(size, count)
    expect(await numbers(journal)).toEqual(stored)
    expect(await numbers(journal, { order: 'newest' })).toEqual(stored.toReversed())
    expect(await countStored(journal)).toBe(stored.length)
    expect(await journal.counts('default')).toMatchObject({ recorded: count, dropped: count - stored.length })
    expect(journal.latestNumber).toBe(count)
  })

  test('returns the entries after a number, even if the entry with that number was evicted', async () => {
    const journal = journalOf(5, 8)
    expect(await numbers(journal, { after: 6 })).toEqual([7, 8])
    expect(await numbers(journal, { after: 1 })).toEqual([4, 5, 6, 7, 8])
    expect(await numbers(journal, { after: 8 })).toEqual([])
    expect(await numbers(journal, { after: 99 })).toEqual([])
    expect(await numbers(journal, { after: 1, limit: 2 })).toEqual([4, 5])
    expect(await numbers(journal, { order: 'newest', limit: 2 })).toEqual([8, 7])
    expect(await journal.list({ limit: 0 })).toMatchObject({ entries: [], oldest: 4, latest: 8 })
  })

  test.each([
    { size: 1000, bytes: 16_000, stored: 128 }, // the limit on the total size is 2 MB
    { size: 4, bytes: 16_000, stored: 4 },
    { size: 100, bytes: 30_000, stored: 34 }, // the limit on the total size is 1 MB, its minimum
  ])(
    'of size $size stores at most $stored entries of $bytes bytes, and counts the evicted entries',
    async ({ size, bytes, stored }) => {
      const journal = new Journal(size)
      const headers = { 'x-long': 'x'.repeat(bytes) }
      for (let count = 0; count < 2 * size; count += 1) {
        const sandbox = count % 2 === 0 ? 'a' : 'b'
        journal.record(entryFor(journal, { sandbox, request: { headers } }), unparsed)
      }
      const found = await numbers(journal)
      expect(found.length).toBeGreaterThanOrEqual(stored - 1)
      expect(found.length).toBeLessThanOrEqual(stored)
      expect(found.at(-1)).toBe(2 * size)
      expect(await countStored(journal)).toBe(found.length)
      expect(await journal.counts(undefined)).toMatchObject({ recorded: 2 * size, dropped: 2 * size - found.length })
      expect(await journal.find(`req-${2 * size - found.length}`)).toBeUndefined()
      expect((await journal.find(`req-${2 * size - found.length + 1}`))?.request.headers).toEqual(headers)
      for (let count = 0; count < size; count += 1) journal.record(entryFor(journal), unparsed)
      expect((await numbers(journal)).length).toBe(size)
      expect(await journal.counts('a')).toMatchObject({ recorded: size, dropped: size })
    },
  )

  test('evicts everything up to and including an entry that is too large, and stores later entries', async () => {
    const journal = new Journal(2)
    const add = (sandbox: string, length: number) =>
      journal.record(entryFor(journal, { sandbox, request: { headers: { long: 'x'.repeat(length) } } }), unparsed)
    for (const sandbox of ['a', 'b', 'b']) add(sandbox, 10)
    add('c', 2_000_000)
    expect([await numbers(journal), await countStored(journal)]).toEqual([[], 0])
    const counts = await Promise.all(['a', 'b', 'c'].map((name) => journal.counts(name)))
    expect(counts.map(({ dropped }) => dropped)).toEqual([1, 2, 1])
    add('c', 10)
    expect([await numbers(journal), await countStored(journal)]).toEqual([[5], 1])
    expect(await journal.counts(undefined)).toMatchObject({ recorded: 5, dropped: 4 })
  })

  test('clears the entries and counts of one sandbox, and never counts cleared entries as evicted', async () => {
    const journal = journalOf(4, 4, ['a', 'b'])
    await journal.clear('a')
    expect(await numbers(journal)).toEqual([2, 4])
    expect(await countStored(journal)).toBe(2)
    expect(await journal.find('req-1')).toBeUndefined()
    for (let index = 0; index < 3; index += 1) journal.record(entryFor(journal, { sandbox: 'a' }), unparsed)
    expect(await numbers(journal, { sandbox: 'a' })).toEqual([5, 6, 7])
    expect(await journal.counts('a')).toMatchObject({ recorded: 3, dropped: 0 })
    expect(await journal.counts('b')).toMatchObject({ recorded: 2, dropped: 1 })
  })
})

test('a copy of an entry does not change when the journal evicts first its body and then the entry', async () => {
  const journal = new Journal(300)
  const response = () => ({ body: captureBody('x'.repeat(maxResponseBodyBytes)) })
  journal.record(entryFor(journal, { response: response() }), unparsed)
  const first = await journal.find('req-1')
  const before = JSON.stringify(first)
  for (let index = 0; index < 200; index += 1) journal.record(entryFor(journal, { response: response() }), unparsed)
  expect((await journal.find('req-1'))?.response.body).toEqual({ latin1: undefined, size: maxResponseBodyBytes })
  for (let index = 0; index < 200; index += 1) journal.record(entryFor(journal), unparsed)
  expect(await journal.find('req-1')).toBeUndefined()
  expect(JSON.stringify(first) === before).toBe(true)
})

test('if the response bodies exceed 8 MiB in total, the oldest are evicted, but their entries stay', async () => {
  const journal = new Journal(10_000)
  const response = { body: captureBody('x'.repeat(maxResponseBodyBytes)) }
  const capacity = (8 * 1024 * 1024) / maxResponseBodyBytes
  for (let count = 0; count < capacity + 3; count += 1)
    journal.record(entryFor(journal, { response: { body: { ...response.body } }, requestBody: 'small' }), unparsed)
  const all = await entries(journal)
  expect(all.length).toBe(capacity + 3)
  expect(all.filter(({ response: { body } }) => body.latin1 === undefined).map(({ number }) => number)).toEqual([
    1, 2, 3,
  ])
  expect(all.every(({ response: { body } }) => body.size === maxResponseBodyBytes)).toBe(true)
  expect(all.every(({ request: { body } }) => body.latin1?.length === 5)).toBe(true)
})

test('a wait for a journal change ends immediately if an entry was recorded after the version was read', async () => {
  const journal = journalOf(5, 1)
  const { version } = await journal.list()
  journal.record(entryFor(journal), unparsed)
  expect(await journal.waitForChange(version, 60_000, [])).toBe('entry')
  expect(journal.waiterCount).toBe(0)
})
