import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import type { EventDraft, ImpactQuery, PromptDraft } from '../../src/state/records.ts'
import type { EventQuery, Store } from '../../src/state/store.ts'
import {
  context,
  event,
  exportSandbox,
  impactQuery,
  importDocument,
  listEvents,
  listPrompts,
  noon,
  productId,
  prompt,
} from './drafts.ts'

/** Defines the tests that every implementation of `Store` must pass. `open` opens an empty store. */
export function conformance(name: string, open: () => Promise<Store>): void {
  describe(`${name} implements the store interface`, () => {
    let store: Store
    const otherContext = { ...context, sandbox: 'worker-3' }
    const laterContext = { ...context, now: noon + 60_000 }

    beforeEach(async () => {
      store = await open()
    })
    afterEach(async () => {
      await store.close()
    })

    describe('events', () => {
      test('a stored event has an ID, a time of receipt and an impact', async () => {
        const { event: stored, replayed, payloadDiffers } = await store.recordEvent(context, event())
        expect(stored).toMatchObject({
          fields: { ...event(), eventAt: '2026-01-15T12:00:00.000Z' },
          impact: 1,
          sampledOut: false,
          receivedAt: '2026-01-15T12:00:00.000Z',
          replays: 0,
        })
        expect(stored.eventId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
        expect({ replayed, payloadDiffers }).toEqual({ replayed: false, payloadDiffers: false })
      })

      test('200 concurrent writes with the same insertId store one event and all get its ID', async () => {
        const receipts = await Promise.all(
          Array.from({ length: 200 }, () => store.recordEvent(context, event({ insertId: 'order-1' }))),
        )
        expect(new Set(receipts.map((receipt) => receipt.event.eventId)).size).toBe(1)
        expect(receipts.filter((receipt) => !receipt.replayed)).toHaveLength(1)
        const { events, total } = await listEvents(store, 'default')
        expect(total).toBe(1)
        expect(events[0]?.replays).toBe(199)
      })

      const eventAt = '2026-01-15T12:00:00.000Z'
      test.each<[string, Partial<EventDraft>, Partial<EventDraft>, boolean]>([
        ['a different value', {}, { value: '1.00' }, true],
        ['a time that the first write lacked', {}, { eventAt }, true],
        ['the properties in a different order', { properties: { a: 1, b: 2 } }, { properties: { b: 2, a: 1 } }, false],
      ])('a retry with %s keeps the first payload and reports any difference', async (_, first, retry, differs) => {
        const stored = await store.recordEvent(context, event({ insertId: 'order-1', ...first }))
        expect(await store.recordEvent(laterContext, event({ insertId: 'order-1', ...retry }))).toMatchObject({
          replayed: true,
          payloadDiffers: differs,
          event: { ...stored.event, replays: 1 },
        })
      })

      test('an insertId can be any string', async () => {
        const insertIds = ['', '__proto__', 'constructor', '\ud800', '\ud801', 'ü', ' ', '{"a":1}']
        const receipts = await Promise.all(insertIds.map((insertId) => store.recordEvent(context, event({ insertId }))))
        expect(receipts.every((receipt) => !receipt.replayed)).toBe(true)
        expect(new Set(receipts.map((receipt) => receipt.event.eventId)).size).toBe(insertIds.length)
      })

      test('event IDs are unique, the same in a second run, and different with another seed', async () => {
        const run = async (seed: string) => {
          await store.reset('default')
          const drafts = [event(), event(), event(), event({ insertId: 'order-1' })]
          const receipts = drafts.map((draft) => store.recordEvent({ ...context, seed }, draft))
          return (await Promise.all(receipts)).map((receipt) => receipt.event.eventId)
        }
        const ids = await run('1')
        expect(await run('1')).toEqual(ids)
        expect(new Set([...ids, ...(await run('2'))]).size).toBe(8)
      })

      test('sampling keeps about the requested fraction, and the same events on a retry or after a reset', async () => {
        const keptIds = async () => {
          const receipts = Array.from({ length: 2000 }, (_, index) =>
            store.recordEvent(context, event({ insertId: `e${index}`, sampleRate: 0.1 })),
          )
          const events = (await Promise.all(receipts)).map((receipt) => receipt.event)
          return events.filter((stored) => !stored.sampledOut).map((stored) => stored.eventId)
        }
        const first = await keptIds()
        expect(first.length).toBeGreaterThan(140)
        expect(first.length).toBeLessThan(260)
        expect(await keptIds()).toEqual(first)
        await store.reset('default')
        expect(await keptIds()).toEqual(first)
      })

      test.each([
        { sampleRate: 0, sampledOut: true },
        { sampleRate: 1, sampledOut: false },
        { sampleRate: 0, forceSample: true, sampledOut: false },
        { sampleRate: 0, forceSample: false, sampledOut: true },
      ])('sampleRate and forceSample decide whether an event is dropped: %o', async ({ sampledOut, ...fields }) => {
        const { event: stored } = await store.recordEvent(context, event(fields))
        expect(stored.sampledOut).toBe(sampledOut)
      })

      test('listEvents filters, paginates and counts events', async () => {
        for (const value of ['0', '1', '2', '3', '4']) {
          await store.recordEvent(context, event({ value, eventType: 'a', conversationId: productId }))
          await store.recordEvent(context, event({ value, eventType: 'b' }))
        }
        await store.recordEvent(context, event({ insertId: 'x', sampleRate: 0, externalConversationId: 'c' }))
        const find = async (query: EventQuery) => {
          const { events, total } = await listEvents(store, 'default', query)
          return [events.map(({ fields }) => fields.value).join(' '), total]
        }
        const upperCase = productId.toUpperCase()
        expect(await find({ eventType: 'b', limit: 2 })).toEqual(['0 1', 5])
        expect(await find({ eventType: 'b', offset: 4, limit: 2 })).toEqual(['4', 5])
        expect(await find({ conversationId: upperCase })).toEqual(['0 1 2 3 4', 5])
        expect(await find({ sampledOut: true })).toEqual(['149.00', 1])
        expect(await find({ insertId: 'x', externalConversationId: 'c' })).toEqual(['149.00', 1])
        expect(await find({ conversation: 'c' })).toEqual(['149.00', 1])
        expect(await find({ conversation: 'C' })).toEqual(['', 0])
        expect(await find({ conversation: upperCase, limit: 1 })).toEqual(['0', 5])
        expect(await find({ productId: 'another' })).toEqual(['', 0])
        expect(await find({ offset: 100 })).toEqual(['', 11])
        expect(await find({ offset: 1, limit: 3 })).toEqual(['0 1 1', 11])
        expect(await find({ eventType: 'b', order: 'newest', limit: 2 })).toEqual(['4 3', 5])
        expect(await find({ eventType: 'b', order: 'newest', offset: 4, limit: 2 })).toEqual(['0', 5])
        expect(await find({ order: 'newest', offset: 1, limit: 3 })).toEqual(['4 4 3', 11])
        expect(await find({ order: 'newest', offset: 100 })).toEqual(['', 11])
      })

      test('changing arguments or results does not change stored events', async () => {
        const properties = { plan: 'growth' }
        const receipt = store.recordEvent(context, event({ insertId: 'x', properties }))
        properties.plan = 'changed'
        const { event: stored } = await receipt
        Object.assign(stored.fields.properties ?? {}, { plan: 'changed' })
        for (const { events } of [await listEvents(store, 'default'), await exportSandbox(store, 'default')]) {
          expect(events[0]).toMatchObject({ impact: 1, fields: { properties: { plan: 'growth' } } })
          Object.assign(events[0] ?? {}, { impact: 7 })
          Object.assign(events[0]?.fields.properties ?? {}, { plan: 'changed' })
        }
        const again = await store.recordEvent(context, event({ insertId: 'x', properties: { plan: 'growth' } }))
        expect(again).toMatchObject({ replayed: true, payloadDiffers: false, event: { impact: 1 } })
      })

      test('fields that are not in the contract are stored, whatever their names', async () => {
        const body = JSON.parse('{"extra":[1,{"a":null}],"__proto__":{"a":1},"constructor":0}')
        await store.recordEvent(context, event(body))
        const [stored] = (await listEvents(store, 'default')).events
        expect(JSON.parse(JSON.stringify(stored?.fields))).toMatchObject(body)
        expect(Object.keys(stored?.fields ?? {})).toContain('__proto__')
      })
    })

    describe('impact', () => {
      const impactOf = async (query: Partial<ImpactQuery> = {}) =>
        Object.fromEntries(await store.eventImpact('default', { ...impactQuery, ...query }))

      test('is summed for each UTC day, excluding events dropped by sampling, and listed chronologically', async () => {
        const other = '00000000-0000-4000-8000-000000000001'
        await store.recordEvent(context, event({ eventAt: '2026-01-14T23:59:59.999Z' }))
        await store.recordEvent(context, event({ eventAt: '2026-01-13T00:00:00.000Z', qualityImpactScore: 0.1 }))
        await store.recordEvent(context, event({ eventAt: '2026-01-13T01:00:00.000Z', qualityImpactScore: 0.2 }))
        await store.recordEvent(context, event({ eventAt: '2026-01-13T01:00:00.000Z', sampleRate: 0 }))
        await store.recordEvent(context, event({ productId: other, influence: 'negative' }))
        expect(Object.entries(await impactOf())).toEqual([
          ['2026-01-13', { impact: 0.3, events: 2 }],
          ['2026-01-14', { impact: 1, events: 1 }],
        ])
        expect(await impactOf({ productIds: [productId.toUpperCase(), other], from: '2026-01-14' })).toEqual({
          '2026-01-14': { impact: 1, events: 1 },
          '2026-01-15': { impact: -1, events: 1 },
        })
        expect(await impactOf({ to: '2026-01-13' })).toEqual({ '2026-01-13': { impact: 0.3, events: 2 } })
      })

      test('for a range of days does not depend on events outside the range', async () => {
        const day = (index: number) => new Date(Date.UTC(2025, 11, 20 + index)).toISOString()
        const between = () => impactOf({ from: '2025-12-30', to: '2026-01-02' })
        await store.recordEvent(context, event({ eventAt: day(12) }))
        expect(await between()).toEqual({ '2026-01-01': { impact: 1, events: 1 } })
        for (let index = 0; index < 40; index += 1) {
          await store.recordEvent(context, event({ eventAt: day(index), influence: 'negative' }))
        }
        expect(Object.entries(await between())).toEqual([
          ['2025-12-30', { impact: -1, events: 1 }],
          ['2025-12-31', { impact: -1, events: 1 }],
          ['2026-01-01', { impact: 0, events: 2 }],
          ['2026-01-02', { impact: -1, events: 1 }],
        ])
        expect(await impactOf({ from: '2026-01-02', to: '2026-01-01' })).toEqual({})
      })
    })

    describe('prompts', () => {
      test('a prompt with a known external ID and product becomes a new, inactive version', async () => {
        const draft = prompt({ externalPromptId: 'greeting', productId })
        const first = await store.addPromptVersion(context, draft)
        const second = await store.addPromptVersion(context, { ...draft, productId: productId.toUpperCase() })
        expect(second.promptId).toBe(first.promptId)
        expect([first.version.version, second.version.version]).toEqual([1, 2])
        expect(second.version.fingerprint).toBe(first.version.fingerprint)
        expect(second.version.versionId).not.toBe(first.version.versionId)
        expect([first.version.active, second.version.active]).toEqual([false, false])
        expect(second.version.componentIds[0]).not.toBe(first.version.componentIds[0])
      })

      test('a prompt with a known external ID but no product, or without an external ID, is a new prompt', async () => {
        const receipts = [
          await store.addPromptVersion(context, prompt({ externalPromptId: 'greeting', productId })),
          await store.addPromptVersion(context, prompt({ externalPromptId: 'greeting' })),
          await store.addPromptVersion(context, prompt()),
          await store.addPromptVersion(context, prompt()),
        ]
        expect(new Set(receipts.map((receipt) => receipt.promptId)).size).toBe(4)
        expect(receipts.map((receipt) => receipt.version.version)).toEqual([1, 1, 1, 1])
        expect(await listPrompts(store, 'default')).toHaveLength(4)
      })

      test('components allowed only by an edited contract are stored', async () => {
        const bodies: JsonObject[] = [{ components: 5 }, { components: [null, { content: '{{a}}' }] }]
        for (const body of bodies) await store.addPromptVersion(context, body as PromptDraft)
        const stored = (await listPrompts(store, 'default')).flatMap(({ versions }) => versions)
        expect(stored).toMatchObject([
          { fields: bodies[0], variables: [], componentIds: [] },
          { fields: bodies[1], variables: ['a'], componentIds: { length: 2 } },
        ])
      })
    })

    describe('rate limits and sequences', () => {
      test('a rate limit window opens on first use, refuses requests beyond the limit, and expires', async () => {
        const consume = (now: number) => store.consumeRate({ ...context, now }, 'key', 2, 1000)
        expect(await consume(0)).toEqual({ allowed: true, limit: 2, remaining: 1, resetMs: 1000 })
        expect(await consume(400)).toEqual({ allowed: true, limit: 2, remaining: 0, resetMs: 600 })
        expect(await consume(999)).toEqual({ allowed: false, limit: 2, remaining: 0, resetMs: 1 })
        expect(await consume(1000)).toEqual({ allowed: true, limit: 2, remaining: 1, resetMs: 1000 })
      })

      test('a clock set back 4.9 seconds opens a new rate limit window; a limit of 0 allows no requests', async () => {
        await store.consumeRate({ ...context, now: 5000 }, 'key', 1, 1000)
        expect(await store.consumeRate({ ...context, now: 100 }, 'key', 1, 1000)).toMatchObject({ allowed: true })
        expect(await store.consumeRate(context, 'other', 0, 1000)).toMatchObject({ allowed: false, remaining: 0 })
      })

      test('each key in each sandbox has its own rate limit window, which a sandbox reset discards', async () => {
        const allowed = async (sandbox: string, key: string) =>
          (await store.consumeRate({ ...context, sandbox }, key, 1, 1000)).allowed
        expect([await allowed('default', 'a'), await allowed('default', 'a')]).toEqual([true, false])
        expect([await allowed('default', 'b'), await allowed('worker-3', 'a')]).toEqual([true, true])
        await store.reset('default')
        expect([await allowed('default', 'a'), await allowed('worker-3', 'a')]).toEqual([true, false])
      })

      test('a new sequence beyond the limit of 10,000 evicts the least recently advanced sequence', async () => {
        await store.nextSequenceIndex('default', 'old')
        await store.nextSequenceIndex('default', 'in use')
        for (let index = 0; index < 10_000; index += 1) {
          await store.nextSequenceIndex('default', `sequence ${index}`)
          if (index % 1000 === 0) await store.nextSequenceIndex('default', 'in use')
        }
        const sequences = await store.listSequences('default')
        expect(sequences.size).toBe(10_000)
        expect([sequences.get('old'), sequences.get('in use')]).toEqual([undefined, 11])
      })

      test('the most recently used sequence is listed last', async () => {
        const long = 'rate-limited*2,'.repeat(10) // a Redis hash with only short keys keeps their insertion order
        for (const key of ['a', long, 'c', 'a']) await store.nextSequenceIndex('default', key)
        expect([...(await store.listSequences('default'))]).toEqual(Object.entries({ [long]: 1, c: 1, a: 2 }))
      })

      test('a sequence counts up from 0 in each sandbox, and a reset restarts it', async () => {
        expect(await store.nextSequenceIndex('default', 's')).toBe(0)
        expect(await store.nextSequenceIndex('default', 's')).toBe(1)
        expect(await store.nextSequenceIndex('default', 'other')).toBe(0)
        expect(await store.nextSequenceIndex('worker-3', 's')).toBe(0)
        await store.reset('default')
        expect(await store.nextSequenceIndex('default', 's')).toBe(0)
      })
    })

    describe('snapshots', () => {
      test('a new snapshot never gets the ID of another snapshot, even a deleted one', async () => {
        const first = await store.createSnapshot(context)
        const second = await store.createSnapshot(context)
        await store.deleteSnapshot('default', first.snapshotId)
        const third = await store.createSnapshot(context)
        expect(new Set([first, second, third].map(({ snapshotId }) => snapshotId)).size).toBe(3)
      })

      test('restoring a snapshot restarts the sequences', async () => {
        const { snapshotId } = await store.createSnapshot(context)
        await store.nextSequenceIndex('default', 's')
        expect(await store.restoreSnapshot('default', snapshotId)).toBe(true)
        expect(await store.nextSequenceIndex('default', 's')).toBe(0)
      })
    })

    describe('sandboxes', () => {
      test('deleting a sandbox discards its counters, even if it has no stored data', async () => {
        for (const hasData of [false, true]) {
          if (hasData) await store.recordEvent(context, event())
          await store.nextSequenceIndex('default', 's')
          await store.consumeRate(context, 'key', 1, 1000)
          expect(await store.deleteSandbox('default')).toBe(hasData)
          expect(await store.listSequences('default')).toEqual(new Map())
          expect(await store.consumeRate(context, 'key', 1, 1000)).toMatchObject({ allowed: true })
          await store.deleteSandbox('default')
        }
      })

      test('a sandbox can have any name', async () => {
        for (const sandbox of ['__proto__', 'constructor', '', 'ü "x"']) {
          await store.recordEvent({ ...context, sandbox }, event())
          expect((await listEvents(store, sandbox)).total).toBe(1)
        }
        expect((await store.size()).sandboxes).toBe(4)
      })

      test('a new record never gets the ID of an imported record, even if the import omits some records', async () => {
        const record = async () => {
          const { event: stored } = await store.recordEvent(context, event())
          return [stored.eventId, (await store.addPromptVersion(context, prompt())).promptId]
        }
        for (const _ of [1, 2, 3]) await record()
        const { events, prompts, ...others } = await exportSandbox(store, 'default')
        await importDocument(store, 'default', { ...others, events: events.slice(1), prompts: prompts.slice(1) })
        const [first, second] = [await record(), await record()]
        const all = await exportSandbox(store, 'default')
        expect(new Set(all.events.map(({ eventId }) => eventId)).size).toBe(4)
        expect(all.prompts.map(({ promptId, versions }) => [promptId, versions.length])).toEqual(
          [prompts[1]?.promptId, prompts[2]?.promptId, first[1], second[1]].map((id) => [id, 1]),
        )
        expect(all.events.map(({ eventId }) => eventId).slice(2)).toEqual([first[0], second[0]])
      })

      test('the quality settings in the result of an export are read-only', async () => {
        await store.putQuality('default', { weight: 0.5 })
        const { quality } = await exportSandbox(store, 'default')
        expect(() => Object.assign(quality, { weight: 9 })).toThrow(TypeError)
        expect(await store.getQuality('default')).toEqual({ weight: 0.5 })
      })

      test('an insertId of "undefined" in an export is not confused with a missing insertId', async () => {
        for (const fields of [{}, { insertId: 'undefined' }]) await store.recordEvent(context, event(fields))
        expect(await importDocument(store, 'copy', await exportSandbox(store, 'default'))).toMatchObject({ ok: true })
      })

      test('an import restricted to empty sandboxes does not change a sandbox with records', async () => {
        await store.recordEvent(context, event())
        const document = await exportSandbox(store, 'default')
        await store.addPromptVersion(otherContext, prompt())
        const before = await exportSandbox(store, 'worker-3')
        expect(await store.importSandbox('worker-3', document, 'if-empty')).toBe(false)
        expect(await exportSandbox(store, 'worker-3')).toEqual(before)
        expect(await store.importSandbox('empty', document, 'if-empty')).toBe(true)
        expect(await exportSandbox(store, 'empty')).toEqual(document)
      })
    })

    test('a fork behaves like the original store and does not change it', async () => {
      const everything = async () => [
        await exportSandbox(store, 'default'),
        [...(await store.listSequences('default'))],
        await store.listSnapshots('default'),
        await store.size(),
      ]
      const use = async (target: Store) => [
        await target.recordEvent(context, event({ insertId: 'order-1', value: '1.00' })),
        await target.recordEvent(context, event()),
        await target.addPromptVersion(context, prompt()),
        await target.consumeRate(context, 'key', 2, 1000),
        await target.nextSequenceIndex('default', 's'),
      ]
      await store.recordEvent(context, event({ insertId: 'order-1' }))
      await store.consumeRate(context, 'key', 2, 1000)
      await store.nextSequenceIndex('default', 's')
      const before = await everything()
      const fork = store.fork()
      const forked = await use(fork)
      expect(await fork.nextSequenceIndex('default', 's')).toBe(2)
      await fork.createSnapshot(context)
      await fork.reset('default')
      await fork.deleteSandbox('default')
      await fork.close()
      expect(await everything()).toEqual(before)
      expect(await use(store)).toEqual(forked)
    })

    test('a closed store refuses writes', async () => {
      await store.close()
      await expect(store.recordEvent(context, event())).rejects.toThrow('closed')
    })
  })
}
