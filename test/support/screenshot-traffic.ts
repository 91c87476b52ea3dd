import type { JsonObject } from '../../src/core/json.ts'
import { steer } from './control.ts'

/** A server and its sandbox that the traffic is sent to. */
export interface TrafficTarget {
  readonly origin: string
  readonly sandbox: string
}

/** A request of the client, and what the simulator is told to do with it. */
interface Sent {
  readonly path: string
  readonly body?: JsonObject
  /** A scenario, or with commas a sequence. Attempts of one call have the same. */
  readonly scenario?: string
}

const webShop = '00000000-0000-4000-9000-000000000001'
const helpCentre = '00000000-0000-4000-9000-000000000002'

const model = (number: number) => `00000000-0000-4000-8000-00000000000${number}`

const analytics = (number: number, period: string): Sent => ({
  path: `/models/${model(number)}/analytics?period=${period}`,
})

const order = (insertId: string, fields: JsonObject = {}): Sent => ({
  path: '/events',
  body: {
    eventType: 'order_completed',
    productId: webShop,
    value: '149.00',
    valueType: 'currency',
    influence: 'positive',
    externalConversationId: 'chat-2201',
    insertId,
    ...fields,
  },
})

/**
 * Sends the traffic of a shop's backend that the screenshots show: calls that failed and were tried again, well and badly, and then an event that
 * breaks the contract. The sandbox's clock stands still and is advanced between the requests, so that the times are the same in each run.
 */
export async function sendTraffic(target: TrafficTarget): Promise<void> {
  const wait = (by: string) => steer(target, 'POST', `/clock/advance?sandbox=${target.sandbox}`, { by })
  const send = async (sent: Sent) => {
    await sendOne(target, sent)
    await wait('340ms')
  }
  const sendTries = async (call: Sent, scenario: string, pauses: readonly string[]) => {
    await sendOne(target, { ...call, scenario })
    for (const pause of pauses) {
      await wait(pause)
      await sendOne(target, { ...call, scenario })
    }
    await wait('800ms')
  }
  await sendTries(analytics(2, '7d'), '500*2, 200', ['500ms', '1100ms'])
  await sendTries(order('order-90815'), 'unavailable;retry-after=2, 201', ['2400ms'])
  const eventAt = '2026-01-15T09:40:00Z'
  await sendOne(target, { ...order('order-90816', { eventAt }), scenario: 'lost-ack, 201' })
  await wait('900ms')
  await sendOne(target, { ...order('order-90816-2', { eventAt }), scenario: 'lost-ack, 201' })
  await wait('800ms')
  await sendTries(order('order-90817'), 'rate-limited;retry-after=30*2, 201', ['4s', '31s'])

  await send(analytics(1, '30d'))
  await send(order('order-90818', { value: '39.90', externalConversationId: 'chat-2207' }))
  await send({ ...analytics(5, '90d'), scenario: 'wrong-type;pointer=/conversationCount' })
  await send({ path: '/modles/1/analytics' })
  await send({
    path: '/prompts',
    body: {
      name: 'Order assistant',
      productId: webShop,
      role: 'support',
      components: [{ type: 'system', content: 'You answer questions about {{shopName}}.' }],
    },
  })
  await send({ ...analytics(3, '7d'), scenario: 'rate-limited' })
  await send({
    path: '/events',
    body: { eventType: 'chat_escalated', productId: helpCentre, value: '1', valueType: 'numeric' },
  })
  await send(analytics(6, '30d'))
  await send(
    order('order-90819', {
      productId: 'web-shop',
      value: 149,
      valueType: 'money',
      qualityImpactScore: 2,
      externalConversationId: 'chat-2212',
    }),
  )
  await send(order('order-90820', { value: '12.50', externalConversationId: 'chat-2214' }))
  await send(analytics(1, '7d'))
}

async function sendOne({ origin, sandbox }: TrafficTarget, { path, body, scenario }: Sent): Promise<void> {
  const control = scenario?.includes(',') ? 'x-sim-sequence' : 'x-sim-scenario'
  const headers = {
    authorization: 'Bearer any-key',
    'user-agent': 'shop-backend/2.3',
    ...(sandbox !== 'default' && { 'x-sim-sandbox': sandbox }),
    ...(body && { 'content-type': 'application/json' }),
    ...(scenario !== undefined && { [control]: scenario }),
  }
  const options = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  // A lost answer, as "lost-ack" asks, is an error of fetch.
  const answer = await fetch(`${origin}/v1${path}`, options).catch(() => undefined)
  await answer?.arrayBuffer()
}
