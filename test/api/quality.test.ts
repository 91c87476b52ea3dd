import { describe, expect } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import type { ControlSchemas } from '../../src/client/transport.ts'
import type { Analytics } from '../../src/service/simulation/analytics.ts'
import { periods } from '../support/analytics.ts'
import { call, event, expectRefusal, textOf, productId as unknownProduct } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { postAll } from '../support/pipelined.ts'
import { sharedSimulator } from '../support/shared.ts'
import { type TestSimulator, test } from '../support/start.ts'
import { readControl } from '../support/stored-records.ts'

const product = (n: number) => `00000000-0000-4000-9000-00000000000${n}`
const model = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

/** The product Web Shop in `fixtures/products.yaml`, and its models. */
const webShop = { id: product(1), models: [model(1), model(5)] }
const otherModels = [model(2), model(3), model(6), '4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34']
const allModels = [...webShop.models, ...otherModels]

/** Returns the text of each analytics response, by model and period. */
async function readAllAnalytics(sim: TestSimulator, sandbox = 'default'): Promise<Map<string, string>> {
  const responses = new Map<string, string>()
  for (const modelId of allModels) {
    for (const period of periods) {
      const path = `/v1/models/${modelId}/analytics?period=${period}`
      responses.set(`${modelId} ${period}`, (await call(sim, path, { token: `k~${sandbox}` })).text)
    }
  }
  return responses
}

async function postEvent(sim: TestSimulator, fields: JsonObject, sandbox = 'default'): Promise<string> {
  const response = await call(sim, '/v1/events', { body: event(fields), token: `k~${sandbox}` })
  expect(response.status).toBe(201)
  return textOf(response, 'eventId')
}

/** Applies the formula in `docs/simulated-data.md`, section "Events". */
const shiftedScore = (seeded: number, weight: number, impact: number) =>
  Math.round(Math.min(1, Math.max(0, seeded + weight * impact)) * 10_000) / 10_000

/** Averages daily scores, weighted by conversation count. Sums them as integers to avoid rounding errors. */
function weightedQuality({ dataPoints }: Analytics): number | null {
  let sum = 0
  let count = 0
  for (const { avgConversationQualityIndex: quality, conversationCount } of dataPoints) {
    if (quality === null) continue
    sum += Math.round(quality * 10_000) * conversationCount
    count += conversationCount
  }
  return count === 0 ? null : Math.round(sum / count) / 10_000
}

const negative = { influence: 'negative' }
const positive = { influence: 'positive' }

const eventsOnTenth = [
  { ...positive, eventAt: '2026-01-10T00:00:00Z' },
  { ...positive, eventAt: '2026-01-10T23:59:59.999Z' },
  { ...negative, eventAt: '2026-01-10T01:30:00+01:00' },
  { influence: 'neutral', eventAt: '2026-01-10' },
  { ...negative, eventAt: '2026-01-10', sampleRate: 0 },
]

/** The total impact on each day, and the events that add up to that impact. */
const days: ReadonlyMap<string, { impact: number; events: readonly JsonObject[] }> = new Map([
  ['2026-01-15', { impact: -0.4, events: [{ qualityImpactScore: -0.65 }, { ...negative, qualityImpactScore: 0.25 }] }],
  ['2026-01-10', { impact: 1, events: eventsOnTenth }],
  ['2025-12-20', { impact: -2, events: [1, 2].map(() => ({ ...negative, eventAt: '2025-12-20T12:00' })) }],
  ['2025-06-01', { impact: -1, events: [{ ...negative, eventAt: '2025-06-01' }] }],
])

test.for([0.1, 1])('with a weight of %d, events change scores as documented', async (weight, { own }) => {
  const before = await readAllAnalytics(own)
  await callControl(own, 'PUT', '/quality', { weight })
  for (const { events } of days.values()) {
    for (const fields of events) await postEvent(own, { productId: webShop.id.toUpperCase(), ...fields })
  }
  const after = await readAllAnalytics(own)
  for (const [key, text] of before) {
    const [modelId = ''] = key.split(' ')
    if (!webShop.models.includes(modelId)) {
      expect(after.get(key)).toBe(text)
      continue
    }
    const seeded: Analytics = JSON.parse(text)
    const shifted: Analytics = JSON.parse(after.get(key) ?? '')
    const dataPoints = seeded.dataPoints.map((point) => {
      const { avgConversationQualityIndex: quality, date } = point
      const impact = days.get(date.slice(0, 10))?.impact
      if (quality === null || impact === undefined) return point
      return { ...point, avgConversationQualityIndex: shiftedScore(quality, weight, impact) }
    })
    // Apart from the data points, only the index and the recommendations depend on conversation quality.
    const { avgConversationQualityIndex, recommendations } = shifted
    expect(shifted).toEqual({ ...seeded, dataPoints, avgConversationQualityIndex, recommendations })
    expect(shifted.avgConversationQualityIndex).toBe(weightedQuality(shifted))
    expect(seeded.avgConversationQualityIndex).toBe(weightedQuality(seeded))
    expect(after.get(key)).not.toBe(text)
  }
})

describe('analytics responses are not changed', () => {
  const seeded = (sim: TestSimulator) => readAllAnalytics(sim, 'untouched')
  const negativeEvent = { ...negative, productId: webShop.id }
  const outside = ['2026-01-16T00:00:00Z', '2025-10-17T23:59:59.999Z', '1970-01-01']
  const canceling = [0.1, 0.2, -0.3].map((qualityImpactScore) => ({ productId: webShop.id, qualityImpactScore }))

  test.for<[string, readonly JsonObject[]]>([
    ['by events about a product that is not in the fixtures', [{ ...negative, productId: unknownProduct }]],
    ['by events that sampling dropped', [{ ...negativeEvent, sampleRate: 0 }]],
    ['by events whose impacts cancel out', canceling],
    ['by events outside every period', outside.map((eventAt) => ({ ...negativeEvent, eventAt }))],
  ])('%s', async ([, events], { own }) => {
    for (const fields of events) await postEvent(own, fields)
    expect(await readAllAnalytics(own)).toEqual(await seeded(own))
  })

  test('by a weight without events, by events at weight 0, or by events in another sandbox', async ({ own }) => {
    await callControl(own, 'PUT', '/quality', { weight: 1 })
    await postEvent(own, negativeEvent, 'elsewhere')
    expect(await readAllAnalytics(own)).toEqual(await seeded(own))
    await postEvent(own, negativeEvent)
    expect(await readAllAnalytics(own)).not.toEqual(await seeded(own))
    await callControl(own, 'PUT', '/quality', { weight: 0 })
    expect(await readAllAnalytics(own)).toEqual(await seeded(own))
  })
})

describe('/__sim/quality', () => {
  const sim = sharedSimulator()
  const conversationId = '5A0E1B1C-7A0E-4B7E-8D21-0D6A5B7F9C34'

  const qualityOf = (sandbox: string) => readControl<ControlSchemas['Quality']>(sim(), `/quality?sandbox=${sandbox}`)

  test('lists the PQI of each product and the CQI of each conversation, with their events', async () => {
    const sandbox = 'lists'
    const record = (fields: JsonObject) => postEvent(sim(), fields, sandbox)
    const lower = conversationId.toLowerCase()
    const again = { productId: webShop.id.toUpperCase(), qualityImpactScore: 0.5, conversationId: lower }
    const ids = {
      linked: await record({ ...positive, productId: webShop.id, conversationId }),
      again: await record({ ...again, externalConversationId: 'chat-1' }),
      chat: await record({ ...negative, externalConversationId: 'chat-1' }),
      alone: await record({ productId: webShop.id }),
    }
    await postEvent(sim(), { productId: webShop.id, influence: 'negative', sampleRate: 0, conversationId }, sandbox)
    const shop = { productId: webShop.id, name: 'Web Shop', pqi: 0.65, impact: 1.5, events: 3 }
    const chat = { impact: -1, events: 1, eventIds: [ids.chat] }
    expect(await qualityOf(sandbox)).toEqual({
      weight: 0.1,
      products: [
        { ...shop, eventIds: [ids.linked, ids.again, ids.alone] },
        { productId: unknownProduct, pqi: 0.4, ...chat },
      ],
      conversations: [
        { conversation: lower, cqi: 0.65, impact: 1.5, events: 2, eventIds: [ids.linked, ids.again] },
        { conversation: 'chat-1', cqi: 0.4, ...chat },
      ],
    })
    const put = await callControl(sim(), 'PUT', `/quality?sandbox=${sandbox}`, { weight: 0.25 })
    expect(put).toMatchObject({ weight: 0.25, products: [{ pqi: 0.875 }, { pqi: 0.25 }] })
    expect((await qualityOf('another')).weight).toBe(0.1)
  })

  test('returns the same scores for any order of events', async () => {
    const scores = [0.695, -0.24, -0.55, 0.11]
    for (const [sandbox, inOrder] of Object.entries({ forth: scores, back: scores.toReversed() })) {
      for (const qualityImpactScore of inOrder)
        await postEvent(sim(), { productId: webShop.id, qualityImpactScore, conversationId }, sandbox)
      const put = await callControl(sim(), 'PUT', `/quality?sandbox=${sandbox}`, { weight: 0.25 })
      expect(put).toMatchObject({ products: [{ pqi: 0.5038, impact: 0.015 }], conversations: [{ cqi: 0.5038 }] })
    }
  })

  test('limits scores to the range from 0 to 1, and event IDs to those of the first 100 events', async () => {
    for (const [productId, fields] of [
      [webShop.id, positive],
      [product(2), negative],
    ] as const)
      await postAll(sim().origin, '/v1/events', Array(101).fill(event({ ...fields, productId })))
    const { products } = await qualityOf('default')
    expect(products).toMatchObject([
      { pqi: 1, impact: 101, events: 101, eventIds: { length: 100 } },
      { pqi: 0, impact: -101, events: 101, eventIds: { length: 100 } },
    ])
  })

  test.each<[Json, RegExp]>([
    [{ weight: 1.1 }, /\/weight/],
    [{ weight: '0.1' }, /\/weight/],
    [{}, /weight/],
    [{ weight: 0.1, of: 'events' }, /of/],
  ])('refuses the body %j and changes nothing', async (body, words) => {
    expectRefusal(await call(sim(), '/__sim/quality?sandbox=put', { method: 'PUT', body, token: null }), 400, words)
    expect((await qualityOf('put')).weight).toBe(0.1)
  })
})
