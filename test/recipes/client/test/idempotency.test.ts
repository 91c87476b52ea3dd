import { connect } from 'conversation-analytics-simulator'
import { expect, test } from 'conversation-analytics-simulator/vitest'
import { clientOf } from './client-of.ts'

test('an event whose acknowledgement is lost is recorded once', async ({ sim }) => {
  await sim.scenario('lost-ack', {}, { times: 1 })
  const eventId = await clientOf(sim).recordPurchase({ order: 'order-2', amount: '20.00' })
  await expect(sim).toHaveReceived('createEvent', { times: 2 })
  expect(await sim.events()).toMatchObject([{ eventId, fields: { insertId: 'order-2' } }])
})

test('an order in one sandbox is unknown in another', async ({ sim }) => {
  const simulator = await connect(process.env['CONVSIM_CONTROL_URL'] ?? '')
  await using other = simulator.sandbox()
  await clientOf(sim).recordPurchase({ order: 'order-3', amount: '20.00' })
  expect(await sim.events()).toHaveLength(1)
  expect(await other.events()).toEqual([])
})

test('an amount that is no text is refused with the reason', async ({ sim }) => {
  await sim.scenario('expect-violation', {}, { operation: 'createEvent' })
  const purchase = { order: 'order-4', amount: 20 as unknown as string }
  await expect(clientOf(sim).recordPurchase(purchase)).rejects.toThrow(/value/)
})
