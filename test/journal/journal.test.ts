import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { captured, mostOfAnAnswer } from '../../src/journal/capture-body.ts'
import { Journal } from '../../src/journal/journal.ts'
import { entryFor, journalOf, unread } from './entries.ts'

const numbers = (journal: Journal, span: Parameters<Journal['entries']>[0] = {}) =>
  Array.from(journal.entries(span), ({ number }) => number)

describe('the ring', () => {
  test.each([
    { size: 5, count: 0, held: [] },
    { size: 5, count: 3, held: [1, 2, 3] },
    { size: 5, count: 5, held: [1, 2, 3, 4, 5] },
    { size: 5, count: 6, held: [2, 3, 4, 5, 6] },
    { size: 5, count: 23, held: [19, 20, 21, 22, 23] },
    { size: 1, count: 4, held: [4] },
    { size: 0, count: 4, held: [] },
  ])('of $size holds $held after $count', ({ size, count, held }) => {
    const journal = journalOf(size, count)
    expect(numbers(journal)).toEqual(held)
    expect(numbers(journal, { first: 'newest' })).toEqual(held.toReversed())
    expect(journal.held).toBe(held.length)
    expect(journal.counts('default')).toMatchObject({ recorded: count, dropped: count - held.length })
    expect(journal.recorded).toBe(count)
  })

  test('tells the entries after a number, whether that one is still held or not', () => {
    const journal = journalOf(5, 8)
    expect(numbers(journal, { after: 6 })).toEqual([7, 8])
    expect(numbers(journal, { after: 1 })).toEqual([4, 5, 6, 7, 8])
    expect(numbers(journal, { after: 8 })).toEqual([])
    expect(numbers(journal, { after: 99 })).toEqual([])
  })

  test.each([
    { size: 1000, each: 16_000, held: 128 }, // of 2 MB
    { size: 4, each: 16_000, held: 4 },
    { size: 100, each: 30_000, held: 34 }, // of 1 MB, the least
  ])('of $size holds $held entries of $each bytes, and tells what it dropped', ({ size, each, held }) => {
    const journal = new Journal(size)
    const headers = { 'x-long': 'x'.repeat(each) }
    for (let count = 0; count < 2 * size; count += 1) {
      const sandbox = count % 2 === 0 ? 'a' : 'b'
      journal.record(entryFor(journal, { sandbox, request: { headers } }), unread)
    }
    const kept = numbers(journal)
    expect(kept.length).toBeGreaterThanOrEqual(held - 1)
    expect(kept.length).toBeLessThanOrEqual(held)
    expect(kept.at(-1)).toBe(2 * size)
    expect(journal.held).toBe(kept.length)
    expect(journal.counts(undefined)).toMatchObject({ recorded: 2 * size, dropped: 2 * size - kept.length })
    expect(journal.find(`req-${2 * size - kept.length}`)).toBeUndefined()
    expect(journal.find(`req-${2 * size - kept.length + 1}`)?.request.headers).toEqual(headers)
    for (let count = 0; count < size; count += 1) journal.record(entryFor(journal), unread)
    expect(numbers(journal).length).toBe(size)
    expect(journal.counts('a')).toMatchObject({ recorded: size, dropped: size })
  })

  test('drops an entry that is larger than all the room at once, with all before it, and goes on', () => {
    const journal = new Journal(2)
    const add = (sandbox: string, length: number) =>
      journal.record(
        entryFor(journal, { sandbox, request: { headers: { long: 'x'.repeat(length) } } }),
        unread,
      )
    for (const sandbox of ['a', 'b', 'b']) add(sandbox, 10)
    add('c', 2_000_000)
    expect([numbers(journal), journal.held]).toEqual([[], 0])
    expect(['a', 'b', 'c'].map((name) => journal.counts(name).dropped)).toEqual([1, 2, 1])
    add('c', 10)
    expect([numbers(journal), journal.held]).toEqual([[5], 1])
    expect(journal.counts(undefined)).toMatchObject({ recorded: 5, dropped: 4 })
  })

  test('finds an entry by its request id until it is dropped', () => {
    const journal = journalOf(5, 8)
    expect(journal.find('req-4')?.number).toBe(4)
    expect(journal.find('req-3')).toBeUndefined()
  })

  test('counts for each sandbox what it dropped of it', () => {
    const journal = journalOf(4, 7, ['a', 'b'])
    expect(numbers(journal, { sandbox: 'a' })).toEqual([5, 7])
    expect(journal.counts('a')).toMatchObject({ recorded: 4, dropped: 2 })
    expect(journal.counts('b')).toMatchObject({ recorded: 3, dropped: 1 })
    expect(journal.counts(undefined)).toMatchObject({ recorded: 7, dropped: 3 })
    expect(journal.counts('c')).toMatchObject({ recorded: 0, dropped: 0 })
  })

  test('clears one sandbox: its entries and its counts are gone, and what is overwritten of it counts no more', () => {
    const journal = journalOf(4, 4, ['a', 'b'])
    journal.clear('a')
    expect(numbers(journal)).toEqual([2, 4])
    expect(journal.held).toBe(2)
    expect(journal.find('req-1')).toBeUndefined()
    for (let more = 0; more < 3; more += 1) journal.record(entryFor(journal, { sandbox: 'a' }), unread)
    expect(numbers(journal, { sandbox: 'a' })).toEqual([5, 6, 7])
    expect(journal.counts('a')).toMatchObject({ recorded: 3, dropped: 0 })
    expect(journal.counts('b')).toMatchObject({ recorded: 2, dropped: 1 })
  })
})

test('an entry that was read keeps what it says; its body is gone once the ring has let go of it', () => {
  const journal = new Journal(2)
  journal.record(entryFor(journal, { requestBody: 'first' }), unread)
  const first = journal.find('req-1')
  expect(Buffer.from(first?.request.body.bytes ?? []).toString()).toBe('first')
  for (let more = 0; more < 3; more += 1) journal.record(entryFor(journal, { requestBody: 'more' }), unread)
  expect(first).toMatchObject({ number: 1, request: { body: { bytes: undefined, size: 5 } } })
})

describe('listeners', () => {
  test('hear of every entry with what was read of it, and of every clearing, until they leave', () => {
    const journal = new Journal(1)
    const heard: unknown[] = []
    const leave = journal.onEntry(({ number }, { answer }) => heard.push([number, answer]))
    const leaveToo = journal.onClear((sandbox) => heard.push(sandbox))
    journal.record(entryFor(journal), { ...unread, answer: { success: true } })
    journal.clear('default')
    leave()
    leaveToo()
    journal.record(entryFor(journal), unread)
    journal.clear('default')
    expect(heard).toEqual([[1, { success: true }], 'default'])
  })

  test('hear of entries that a journal of size 0 does not keep', () => {
    const journal = new Journal(0)
    let heard = 0
    journal.onEntry(() => {
      heard += 1
    })
    journal.record(entryFor(journal), unread)
    expect(heard).toBe(1)
  })
})

describe('bodies', () => {
  test('of requests are kept as they are, those of answers cut beyond 64 KiB', () => {
    const small = new Uint8Array(mostOfAnAnswer)
    expect(captured(small, mostOfAnAnswer).bytes).toBe(small)
    const large = new Uint8Array(mostOfAnAnswer + 1).fill(7)
    expect(captured(large).bytes).toBe(large)
    const { bytes, size } = captured(large, mostOfAnAnswer)
    expect(size).toBe(mostOfAnAnswer + 1)
    expect(bytes).toEqual(large.subarray(0, mostOfAnAnswer))
    expect(bytes?.buffer.byteLength).toBe(mostOfAnAnswer)
  })

  test('of the oldest entries are let go beyond 8 MiB of answers, the entries stay', () => {
    const journal = new Journal(10_000)
    const answer = { body: captured(new Uint8Array(mostOfAnAnswer)) }
    const fitting = (8 * 1024 * 1024) / mostOfAnAnswer
    for (let count = 0; count < fitting + 3; count += 1)
      journal.record(
        entryFor(journal, { answer: { body: { ...answer.body } }, requestBody: 'small' }),
        unread,
      )
    const all = [...journal.entries()]
    expect(all.length).toBe(fitting + 3)
    expect(
      all.filter(({ answer: { body } }) => body.bytes === undefined).map(({ number }) => number),
    ).toEqual([1, 2, 3])
    expect(all.every(({ answer: { body } }) => body.size === mostOfAnAnswer)).toBe(true)
    expect(all.every(({ request: { body } }) => body.bytes?.length === 5)).toBe(true)
  })

  test('that were let go do not count once their entries are dropped', () => {
    const journal = new Journal(300)
    for (let count = 0; count < 2000; count += 1)
      journal.record(
        entryFor(journal, { answer: { body: captured(new Uint8Array(mostOfAnAnswer)) } }),
        unread,
      )
    const kept = [...journal.entries()].filter(({ answer: { body } }) => body.bytes !== undefined)
    expect(kept.length).toBe(128)
    for (let count = 0; count < 300; count += 1)
      journal.record(entryFor(journal, { answerBody: 'x' }), unread)
    expect([...journal.entries()].every(({ answer: { body } }) => body.bytes?.length === 1)).toBe(true)
  })
})

test('nothing grows, however many requests come: with sandboxes that come and go, and bodies that have to make room', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const journal = new Journal(1000)
  const fill = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const number = journal.recorded
      const answer = { body: captured(new Uint8Array(number % 7 === 0 ? mostOfAnAnswer : 100)) }
      journal.record(
        entryFor(journal, { sandbox: `s-${number % 150}`, answer, requestBody: 'small' }),
        unread,
      )
      if (number % 10 === 0) journal.clear(`s-${(number * 7) % 150}`)
    }
    collect()
    return process.memoryUsage().heapUsed
  }
  fill(10_000)
  const before = fill(10_000)
  const after = fill(100_000)
  expect(after - before).toBeLessThan(10 * 1024 * 1024) // 100,000 entries would be 100 MB and more
  const kept = Array.from(journal.entries(), ({ answer: { body } }) => body.bytes?.length ?? 0)
  expect(kept.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(8 * 1024 * 1024)
  expect(journal.held).toBeLessThanOrEqual(1000)
  expect(journal.sandboxes().length).toBeLessThanOrEqual(150)
})
