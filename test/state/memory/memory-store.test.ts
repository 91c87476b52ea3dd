import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/state/open-store.ts'
import { conformance } from '../conformance.ts'
import { context, event, listEvents, recordAll } from '../drafts.ts'
import { stateProperty } from '../property.ts'

conformance('the memory store', async () => createMemoryStore())

test('a long list of events does not change while it is being read', async () => {
  const store = createMemoryStore()
  await recordAll(
    store,
    Array.from({ length: 2500 }, (_, index) => `no-${index}`),
  )
  const listing = listEvents(store, 'default')
  await recordAll(store, ['no-2400', 'no-2500'])
  const { events } = await listing
  expect([events.length, events[2400]?.replays]).toEqual([2500, 0])
})

test('an event’s impact is limited to ±1,000,000 even if the contract does not limit qualityImpactScore', async () => {
  const { event: stored } = await createMemoryStore().recordEvent(context, event({ qualityImpactScore: -1e308 }))
  expect(stored.impact).toBe(-1e6)
})

stateProperty(async () => {
  const store = createMemoryStore()
  return { store, restart: async () => {}, close: () => store.close() }
}, 40)
