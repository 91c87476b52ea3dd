import { expect, test, vi } from 'vitest'
import { silentLog } from '../../../src/base/core/log.ts'
import { nextTurn } from '../../../src/base/core/timers.ts'
import { StreamFollower } from '../../../src/server/journal/follower.ts'
import type { ExchangeStream } from '../../../src/state/shared-state.ts'
import { entryFor, unparsed } from './entries.ts'

/** Creates a journal with a stub stream that records the kind of each message, or fails if `isUnavailable` is true. */
function setup(isUnavailable = false) {
  const sent: string[] = []
  const append = (kind: string) => async () => {
    if (isUnavailable) throw new Error('the store is not responding')
    sent.push(kind)
    return { id: 'stream', number: sent.length }
  }
  const stream: Partial<ExchangeStream> = {
    replica: '3f2a91c0',
    append: append('exchange'),
    appendEnd: append('end'),
    countLost: async () => true,
  }
  const { journal } = new StreamFollower(10, silentLog, stream as ExchangeStream)
  const entry = entryFor(journal, {})
  const { delivery, hasClientLeft, headSentAt, endedAt } = entry
  const end = { delivery, hasClientLeft, headSentAt, endedAt }
  return { journal, sent, end, create: () => [entry, unparsed] as const }
}

test('an announced exchange that ends as expected is sent to the other replicas only once', async () => {
  const { journal, sent, end, create } = setup()
  const record = journal.begin()
  await record.announce?.(create())
  record.end({ ...end, endedAt: end.endedAt + 1 }, create)
  await vi.waitFor(() => expect(sent).toEqual(['exchange']))
})

test('if the client of an announced exchange disconnects early, a message with the actual end follows', async () => {
  const { journal, sent, end, create } = setup()
  const ownEntries: string[] = []
  journal.onOwnEntry(({ delivery }) => ownEntries.push(delivery.kind))
  const record = journal.begin()
  await record.announce?.(create())
  record.end({ ...end, delivery: { kind: 'client-gone', sentBytes: 0 }, hasClientLeft: true }, create)
  await vi.waitFor(() => expect(sent).toEqual(['exchange', 'end']))
  expect(ownEntries).toEqual(['client-gone'])
})

test('if the store fails, an exchange is marked as lost, unless its announcement already failed', async () => {
  const { journal, end, create } = setup(true)
  const ownEntries: string[] = []
  journal.onOwnEntry(({ id }) => ownEntries.push(id))
  const record = journal.begin()
  await expect(record.announce?.(create())).rejects.toThrow('is not responding')
  record.end(end, create)
  await nextTurn()
  expect([ownEntries.length, journal.hasLoss('default')]).toEqual([1, false])
  journal.begin().end(end, create)
  await vi.waitFor(() => expect(journal.hasLoss('default')).toBe(true))
})
