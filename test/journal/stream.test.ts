import { describe, expect, test } from 'vitest'
import { Journal } from '../../src/journal/journal.ts'
import { follow } from '../../src/journal/stream.ts'
import { entryFor, journalOf, unread } from './entries.ts'

const following = { sandbox: 'default', filter: {}, after: 0, heartbeatMs: 60_000 }

function setup(journal: Journal, about: Partial<Parameters<typeof follow>[1]> = {}) {
  const end = new AbortController()
  const pieces = follow(journal, { ...following, ...about }, [end.signal])
  const next = async () => {
    const { value, done } = await pieces.next()
    return done ? 'the end' : value
  }
  const idsOf = (piece: string) =>
    [...piece.matchAll(/^event: request\nid: (\d+)$/gm)].map(([, id]) => Number(id))
  return { end, next, idsOf }
}

describe('whoever follows the journal', () => {
  test('is told of every entry once, those that come together in one piece', async () => {
    const journal = journalOf(100, 3)
    const { next, idsOf } = setup(journal)
    expect(await next()).toMatch(/^: /)
    expect(idsOf(await next())).toEqual([1, 2, 3])
    const waiting = next()
    for (let count = 0; count < 2; count += 1) journal.record(entryFor(journal), unread)
    expect(idsOf(await waiting)).toEqual([4, 5])
  })

  test('resumes behind a number; one of another process is as good as none', async () => {
    const { next, idsOf } = setup(journalOf(100, 3), { after: 2 })
    await next()
    expect(idsOf(await next())).toEqual([3])
    const other = setup(journalOf(100, 3), { after: 99 })
    await other.next()
    expect(other.idsOf(await other.next())).toEqual([1, 2, 3])
  })

  test('and reads slowly is told which entries are gone, and nothing is kept for it', async () => {
    const journal = journalOf(5, 2)
    const { next, idsOf } = setup(journal)
    await next()
    await next()
    for (let count = 0; count < 10; count += 1) journal.record(entryFor(journal), unread)
    expect(await next()).toBe('event: dropped\nid: 7\ndata: {"from":3,"to":7}\n\n')
    expect(idsOf(await next())).toEqual([8, 9, 10, 11, 12])
  })

  test('gets long news in pieces', async () => {
    const { next, idsOf } = setup(journalOf(300, 250))
    await next()
    const lengths = [await next(), await next(), await next()].map((piece) => idsOf(piece).length)
    expect(lengths).toEqual([100, 100, 50])
  })

  test('hears of its own sandbox, and of what it asked for', async () => {
    const journal = journalOf(100, 6, ['default', 'a'])
    journal.record(entryFor(journal, { answer: { status: 429 } }), unread)
    const all = setup(journal, { sandbox: undefined })
    await all.next()
    expect(all.idsOf(await all.next())).toEqual([1, 2, 3, 4, 5, 6, 7])
    const some = setup(journal, { filter: { status: '4xx' } })
    await some.next()
    expect(some.idsOf(await some.next())).toEqual([7])
  })

  test('gets a sign of life where nothing happens', async () => {
    const { next } = setup(new Journal(5), { heartbeatMs: 1 })
    await next()
    expect(await next()).toMatch(/^: still here\n\n$/)
  })

  test('hears the end at once where it waits', async () => {
    const { next, end } = setup(new Journal(5))
    await next()
    const waiting = next()
    end.abort()
    expect(await waiting).toBe('the end')
  })
})
