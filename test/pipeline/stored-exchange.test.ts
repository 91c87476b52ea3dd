import { expect, test } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import type { Reply } from '../../src/exchange/reply.ts'
import { Journal } from '../../src/journal/journal.ts'
import { type EndedExchange, StoredExchange } from '../../src/pipeline/stored-exchange.ts'
import { entryFor, unparsed } from '../journal/entries.ts'

const reply: Reply = { status: 200, headers: {}, body: undefined, origin: 'contract' }

test('an exchange whose client left before its answer is stored once', async () => {
  const appended: string[] = []
  const journal = new Journal(10)
  const shared = {
    append: async ({ delivery }: EndedExchange['entry']) => appended.push(delivery.kind),
    correct: async () => {},
  }
  const create = (_: Reply, delivery: EndedExchange['entry']['delivery']): EndedExchange => ({
    reply,
    entry: { ...entryFor(journal, {}), delivery },
    live: unparsed,
  })
  const exchange = new StoredExchange(reply, create, shared as unknown as NonNullable<Journal['shared']>, silentLog)
  exchange.end({ kind: 'client-gone', sentBytes: 0 }, undefined, 1)
  const refusal = await exchange.store({ kind: 'delivered' }, { headSentAt: 1, hasClientLeft: false }, () => reply)
  expect([appended, refusal]).toEqual([['client-gone'], undefined])
})
