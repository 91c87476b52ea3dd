import { faker } from '@faker-js/faker/locale/base'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Analytics } from '../../../src/service/simulation/analytics.ts'
import { drawPersona } from '../../../src/service/simulation/persona.ts'
import { createBundledSimulation, loadBundledFixtures, now, unlistedModel } from './bundled-simulation.ts'

const simulation = await createBundledSimulation()
const fixtures = await loadBundledFixtures()

test('the simulation neither affects other users of faker nor is affected by them', () => {
  const query = { seed: '1', modelId: unlistedModel(1), days: 30, now } as const
  const before = simulation.analytics(query)
  faker.seed(7)
  const expected = faker.number.int()
  faker.seed(7)
  const between = simulation.analytics(query)
  expect(faker.number.int()).toBe(expected)
  expect(between).toEqual(before)
})

test('the drawn personas follow the weights', () => {
  const { personas } = fixtures
  const drawn = Array.from({ length: 2000 }, (_, index) => drawPersona(personas, '1', unlistedModel(index)).name)
  const shareOf = (name: string) => drawn.filter((each) => each === name).length / drawn.length
  const total = personas.reduce((sum, { weight }) => sum + weight, 0)
  for (const { name, weight } of personas) expect(shareOf(name), name).toBeCloseTo(weight / total, 1)
  const weighted = personas.filter(({ weight }) => weight > 0)
  expect(new Set(drawn)).toEqual(new Set(weighted.map(({ name }) => name)))
})

/** Returns the fields of a response that are null. */
const nullsOf = (response: Analytics) =>
  Object.entries(response).flatMap(([field, value]) => (value === null ? [field] : []))

test('with traffic, a field is null only if the persona switches it off or gets no ratings', () => {
  for (const persona of fixtures.personas) {
    const response = simulation.analytics({
      seed: '1',
      modelId: unlistedModel(4),
      days: 90,
      now,
      persona: persona.name,
    })
    if (response.conversationCount < 200) continue
    const reasons: string[] = [...(persona.switchedOff ?? [])]
    if (persona.ratedShare === 0) reasons.push('averageConversationRating')
    expect(nullsOf(response).sort()).toEqual(reasons.sort())
  }
})

test('a period with fewer than 20 conversations has no assessment', () => {
  for (let index = 0; index < 60; index++) {
    const response = simulation.analytics({
      seed: '1',
      modelId: unlistedModel(index),
      days: 30,
      now,
      persona: 'sparse',
    })
    expect(response.recommendations === null).toBe(response.conversationCount < 20)
  }
})

test('a model has the shape of its fixture unless the query names a shape or persona', () => {
  const shaped = fixtures.models.find(({ shape }) => shape === 'all-null')
  const query = { seed: '1', modelId: shaped?.id ?? '', days: 7, now } as const
  expect(simulation.analytics(query).conversationCount).toBe(0)
  expect(simulation.analytics({ ...query, persona: 'healthy' }).conversationCount).toBeGreaterThan(0)
  expect(simulation.analytics({ ...query, shape: 'no-null' }).conversationCount).toBeGreaterThan(0)
})

/** Returns everything that does not depend on conversation quality. */
function withoutQuality({ avgConversationQualityIndex: _, recommendations: __, dataPoints, ...others }: Analytics) {
  return { ...others, dataPoints: dataPoints.map(({ avgConversationQualityIndex: ___, ...point }) => point) }
}

test('a shifted quality stays within 0 and 1, and days without conversations stay null', () => {
  const query = { seed: '1', modelId: unlistedModel(3), days: 30, now } as const
  fc.assert(
    fc.property(fc.double({ min: -5, max: 5, noNaN: true }), fc.constantFrom(...simulation.personas), (by, persona) => {
      const plain = simulation.analytics({ ...query, persona })
      const shifted = simulation.analytics({ ...query, persona, qualityShift: () => by })
      expect(withoutQuality(shifted)).toEqual(withoutQuality(plain))
      for (const point of shifted.dataPoints) {
        const quality = point.avgConversationQualityIndex
        expect(quality === null).toBe(point.conversationCount === 0)
        if (quality !== null) expect(quality >= 0 && quality <= 1).toBe(true)
      }
    }),
    { numRuns: 60 },
  )
})
