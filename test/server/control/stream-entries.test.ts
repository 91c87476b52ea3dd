import { describe, expect, test } from 'vitest'
import { type StreamOptions, streamEntries } from '../../../src/server/control/requests.ts'
import { Journal } from '../../../src/server/journal/journal.ts'
import { entryFor, journalOf, unparsed } from '../journal/entries.ts'

const defaults: StreamOptions = { sandbox: 'default', filter: {}, bodies: false, after: 0, heartbeatMs: 60_000 }

function openStream(journal: Journal, options: Partial<StreamOptions> = {}) {
  const chunks = streamEntries(journal, { ...defaults, ...options }, [new AbortController().signal])
  const next = async () => {
    const { value, done } = await chunks.next()
    return done ? 'the end' : value
  }
  const idsOf = (chunk: string) => [...chunk.matchAll(/^event: request\nid: (\d+)$/gm)].map(([, id]) => Number(id))
  return { next, idsOf }
}

describe('a stream of journal entries', () => {
  test('sends only the entries after the given number, even if no such entries exist yet', async () => {
    const journal = journalOf(100, 3)
    const { next, idsOf } = openStream(journal, { after: 4, heartbeatMs: 1 })
    expect([await next(), await next()].map(idsOf)).toEqual([[], []])
    for (let count = 0; count < 3; count += 1) journal.record(entryFor(journal), unparsed)
    const ids = idsOf(await next()) // on a busy machine, each entry can arrive in its own chunk
    while (ids.length < 2) ids.push(...idsOf(await next()))
    expect(ids).toEqual([5, 6])
  })

  test('reports the entries that were evicted before a slow reader received them', async () => {
    const journal = journalOf(5, 2)
    const { next, idsOf } = openStream(journal)
    await next()
    await next()
    for (let count = 0; count < 10; count += 1) journal.record(entryFor(journal), unparsed)
    expect(await next()).toBe('event: dropped\nid: 7\ndata: {"from":3,"to":7}\n\n')
    expect(idsOf(await next())).toEqual([8, 9, 10, 11, 12])
  })

  test('sends at most 100 entries in a chunk', async () => {
    const { next, idsOf } = openStream(journalOf(300, 250))
    await next()
    const lengths: number[] = []
    const total = () => lengths.reduce((sum, length) => sum + length, 0)
    while (total() < 250) lengths.push(idsOf(await next()).length)
    expect([total(), Math.max(...lengths) <= 100]).toEqual([250, true])
  })

  test('sends a comment after a heartbeat interval without entries', async () => {
    const { next } = openStream(new Journal(5), { heartbeatMs: 1 })
    await next()
    expect(await next()).toMatch(/^: heartbeat\n\n$/)
  })
})
