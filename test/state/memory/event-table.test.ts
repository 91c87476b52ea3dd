import { describe, expect, test } from 'vitest'
import { EventTable } from '../../../src/state/collections/events.ts'
import { createStoredEvent } from '../../../src/state/events.ts'
import { createMemoryStore } from '../../../src/state/memory/memory-store.ts'
import type { EventDraft, StoredEvent } from '../../../src/state/records.ts'
import type { Store } from '../../../src/state/store.ts'
import { context, event, exportSandbox, listEvents, recordAll } from '../drafts.ts'
import { openNew, openOrFail } from '../file/open-file.ts'

const many = 300

function recorded(index: number, fields: Partial<EventDraft> = {}): StoredEvent {
  return createStoredEvent(context, event({ insertId: `no-${index}`, ...fields }), new Map())
}

function recordedMany(count: number): StoredEvent[] {
  return Array.from({ length: count }, (_, index) => recorded(index))
}

function tableOf(events: readonly StoredEvent[]): EventTable {
  const table = new EventTable()
  for (const each of events) table.add(each)
  return table
}

const record = (store: Store, count: number, from = 0) =>
  recordAll(
    store,
    Array.from({ length: count }, (_, index) => `no-${from + index}`),
  )

describe('a table of many events', () => {
  test('does not change its copies', () => {
    const events = recordedMany(many)
    const table = tableOf(events)
    table.apply({ op: 'replay', insertId: 'no-3' })
    const copy = table.copy()
    table.apply({ op: 'replay', insertId: 'no-3' })
    table.apply({ op: 'replay', insertId: 'no-4' })
    table.apply({ op: 'event', event: recorded(many) })
    copy.apply({ op: 'event', event: recorded(many + 1) })
    const replayed = events.map((each, index) => (index === 3 ? { ...each, replays: 1 } : each))
    expect(Array.from(copy.list(), (text) => JSON.parse(text))).toEqual([...replayed, recorded(many + 1)])
    expect(table.find('no-3')?.replays).toBe(2)
    expect([table.size, copy.size]).toEqual([many + 1, many + 1])
    const found = [table, copy].map((one) => [one.find(`no-${many}`), one.find(`no-${many + 1}`)])
    expect(found).toEqual([
      [recorded(many), undefined],
      [undefined, recorded(many + 1)],
    ])
  })

  test('is listed as it was when the list began', async () => {
    const store = createMemoryStore()
    await record(store, 2500)
    const listing = listEvents(store, 'default')
    await record(store, 1, 2400)
    await record(store, 1, 2500)
    const { events } = await listing
    expect(events.length).toBe(2500)
    expect(events[2400]?.replays).toBe(0)
  })

  test('has texts of any kind and size unchanged after a restart', async () => {
    const texts = ['', 'größe', '会話', '\ud800', '\u2028\n\r\t"\\', '__proto__', 'x'.repeat(200_000)]
    const { path, store } = await openNew()
    for (const value of texts) await store.recordEvent(context, event({ value, properties: { [value]: [value] } }))
    const before = await exportSandbox(store, 'default')
    await store.close()
    const again = await openOrFail(path)
    expect(await exportSandbox(again.store, 'default')).toEqual(before)
  })
})

test('tables of loaded events that begin with the same records do not change each other', () => {
  const events = recordedMany(many)
  const others = [...events.slice(0, 100), recorded(many), recorded(many + 1)]
  const [table, other] = [tableOf(events), tableOf(others)]
  table.apply({ op: 'event', event: recorded(many + 2) })
  other.apply({ op: 'replay', insertId: 'no-5' })
  const parse = (one: EventTable) => Array.from(one.list(), (text): StoredEvent => JSON.parse(text))
  expect(parse(table)).toEqual([...events, recorded(many + 2)])
  expect(parse(other)).toEqual(others.map((each, index) => (index === 5 ? { ...each, replays: 1 } : each)))
})
