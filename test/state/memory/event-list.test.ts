import { writeSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { createEvent } from '../../../src/state/events.ts'
import { EventBlock } from '../../../src/state/memory/event-block.ts'
import { EventList } from '../../../src/state/memory/event-list.ts'
import { createMemoryStore } from '../../../src/state/memory/memory-store.ts'
import type { EventDraft, StoredEvent } from '../../../src/state/records.ts'
import type { Store } from '../../../src/state/store.ts'
import { context, event, product } from '../drafts.ts'
import { openOrFail, statePath } from '../file/open-file.ts'

/** The number of events of several blocks. */
const many = 300

function recorded(index: number, fields: Partial<EventDraft> = {}): StoredEvent {
  return createEvent(context, event({ insertId: `no-${index}`, ...fields }), new Map())
}

function recordedMany(count: number): StoredEvent[] {
  return Array.from({ length: count }, (_, index) => recorded(index))
}

function listOf(events: readonly StoredEvent[]): EventList {
  const list = new EventList()
  for (const each of events) list.push(each)
  return list
}

const all = (list: EventList) => list.read(list.findPositions({}))

async function record(store: Store, count: number, from = 0): Promise<void> {
  const drafts = Array.from({ length: count }, (_, index) => event({ insertId: `no-${from + index}` }))
  await Promise.all(drafts.map((draft) => store.recordEvent(context, draft)))
}

describe('a list of many events', () => {
  test.each([
    ['recorded one by one', listOf],
    ['loaded at once', EventList.of],
  ])('returns events that were %s: all at once, by position, and as JSON', async (_, make) => {
    const events = recordedMany(many)
    const list = make(events)
    expect(await all(list)).toEqual(events)
    expect(events.map((_event, index) => list.at(index))).toEqual(events)
    expect([...list.records()].map(({ text }) => JSON.parse([...text()].join('')))).toEqual(events)
    expect(await list.read([0, 63, 64, 65, 200, many - 1])).toEqual(
      [0, 63, 64, 65, 200, many - 1].map((index) => events[index]),
    )
    expect([list.at(-1), list.at(many)]).toEqual([undefined, undefined])
  })

  test('has the same text before and after compression', () => {
    const events = recordedMany(20)
    const block = new EventBlock(0, events)
    const before = block.lines()
    block.compress()
    expect(before).toEqual(events.map((each) => JSON.stringify(each)))
    expect(block.lines()).toEqual(before)
  })

  test('returns text of any kind and size unchanged', async () => {
    const texts = ['', 'größe', '会話', '\ud800', '\u2028\n\r\t"\\', '__proto__', 'x'.repeat(200_000)]
    const events = texts.flatMap((value) =>
      Array.from({ length: 20 }, (_, index) => recorded(index, { value, properties: { [value]: [value] } })),
    )
    expect(await all(listOf(events))).toEqual(events)
  })

  test('does not change its copies', async () => {
    const events = recordedMany(many)
    const list = listOf(events)
    list.setReplays(3, 1)
    const copy = list.copy()
    list.setReplays(3, 2)
    list.setReplays(4, 1)
    list.push(recorded(many))
    const replayed = events.map((each, index) => (index === 3 ? { ...each, replays: 1 } : each))
    expect(await all(copy)).toEqual(replayed)
    expect([...copy.records()].map(({ text }) => JSON.parse([...text()].join('')))).toEqual(replayed)
    expect(list.at(3)?.replays).toBe(2)
    expect([list.length, copy.length]).toEqual([many + 1, many])
  })

  test('is read as it was when the read began', async () => {
    const list = listOf(recordedMany(2500))
    const reading = all(list)
    list.setReplays(2400, 1)
    list.push(recorded(2500))
    const events = await reading
    expect(events.length).toBe(2500)
    expect(events[2400]?.replays).toBe(0)
  })
})

describe('a store of many events', () => {
  test('counts a replay of an old event, also after a restart', async () => {
    const path = statePath()
    const first = await openOrFail(path)
    await record(first.store, many)
    await record(first.store, 1, 10)
    await first.store.close()
    const second = await openOrFail(path)
    await record(second.store, 1, 10)
    const { events, total } = await second.store.listEvents('default', { offset: 9, limit: 3 })
    expect(events.map(({ replays }) => replays)).toEqual([0, 2, 0])
    expect(total).toBe(many)
    await second.store.close()
  })

  test('refuses more events than a block holds if the disk is full, and accepts them later', async () => {
    let isFull = false
    const { store } = await openOrFail(statePath(), {
      write: (fd, bytes, offset) => {
        if (isFull) throw new Error('no space left on device')
        return writeSync(fd, bytes, offset)
      },
    })
    await record(store, 100)
    const before = await store.exportSandbox('default')
    isFull = true
    await expect(record(store, many, 100)).rejects.toThrow('no space left on device')
    expect(await store.exportSandbox('default')).toEqual(before)
    isFull = false
    await record(store, many, 100)
    const { events } = await store.listEvents('default')
    expect(events.map(({ fields }) => fields.insertId)).toEqual(
      Array.from({ length: 100 + many }, (_, index) => `no-${index}`),
    )
    const impact = await store.eventImpact('default', { productIds: [product] })
    expect([...impact.values()]).toEqual([{ impact: 100 + many, events: 100 + many }])
    await store.close()
  })

  test('stores an event in a fraction of the memory of an object', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const used = async () => {
      // Memory outside the heap is freed in a later turn than the object that owned it.
      for (let turn = 0; turn < 5; turn += 1) {
        collect()
        await new Promise((resolve) => setImmediate(resolve))
      }
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    }
    const store = createMemoryStore()
    await record(store, 1000)
    const before = await used()
    for (let from = 1000; from < 21_000; from += 500) await record(store, 500, from)
    expect(((await used()) - before) / 20_000).toBeLessThan(500) // 1,100 as objects, 250 compressed
    expect((await store.size()).events).toBe(21_000)
  })
})

describe('reset sandboxes and copies', () => {
  const anonymous = (index: number) =>
    recorded(index, {
      insertId: undefined as never,
      externalConversationId: `only-${index}`,
      value: String(index),
    })

  /** Returns the growth of the live heap, in bytes, from `times` calls of `run`. */
  async function growth(times: number, run: (index: number) => unknown): Promise<number> {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const live = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    for (let index = 0; index < 1000; index += 1) await run(index)
    const before = live()
    for (let index = 1000; index < 1000 + times; index += 1) await run(index)
    return live() - before
  }

  test('reset sandboxes and changed copies of a list use no memory', async () => {
    const store = createMemoryStore()
    const snapshot = listOf(recordedMany(10))
    const grown = await growth(20_000, async (index) => {
      await store.recordEvent(
        context,
        event({ insertId: `${index}`, externalConversationId: `only-${index}` }),
      )
      if (index % 50 === 0) await store.reset('default')
      snapshot.copy().push(anonymous(index))
    })
    expect(grown).toBeLessThan(1_500_000)
  })

  test('a changed copy has an index of its own', () => {
    const first = listOf([recorded(0, { externalConversationId: 'a' })])
    const copy = first.copy()
    copy.push(recorded(1, { externalConversationId: 'b' }))
    first.push(recorded(1, { externalConversationId: 'c' }))
    const withConversation = (list: EventList, externalConversationId: string) =>
      list.findPositions({ externalConversationId })
    expect(['a', 'b', 'c'].map((name) => withConversation(copy, name))).toEqual([[0], [1], []])
    expect(['a', 'b', 'c'].map((name) => withConversation(first, name))).toEqual([[0], [], [1]])
  })
})
