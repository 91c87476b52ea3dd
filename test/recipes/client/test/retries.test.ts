import { expect, test } from 'conversation-analytics-simulator/vitest'
import { clientOf, model } from './client-of.ts'

test('a refused event is sent again when the service says so', async ({ sim }) => {
  await sim.scenario('rate-limited', { 'retry-after': 20 }, { operation: 'createEvent', times: 1 })
  await clientOf(sim).recordPurchase({ order: 'order-1', amount: '149.00' })
  await expect(sim).toHaveReceived('createEvent', { times: 2, match: { body: { insertId: 'order-1' } } })
})

test('failures of several kinds may follow each other', async ({ sim }) => {
  await sim.sequence(['reset', '429;retry-after=2', '200'])
  expect((await clientOf(sim).readFigures(model)).conversations).toBeGreaterThan(0)
  expect(await sim.sequences()).toMatchObject([{ met: 3 }])
})
