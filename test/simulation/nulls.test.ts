import { expect, test } from 'vitest'
import type { Analytics } from '../../src/simulation/analytics.ts'
import { createBundledWorld, loadBundledFixtures, now, unlistedModel } from './bundled-world.ts'

const world = await createBundledWorld()
const fixtures = await loadBundledFixtures()

/** Returns the fields of an answer that are null. */
const nullsOf = (answer: Analytics) =>
  Object.entries(answer).flatMap(([field, value]) => (value === null ? [field] : []))

test('with traffic, a field is null only if the persona switches it off or gets no ratings', () => {
  for (const persona of fixtures.personas) {
    const answer = world.analytics({ seed: '1', modelId: unlistedModel(4), days: 90, now, persona: persona.name })
    if (answer.conversationCount < 200) continue
    const reasons: string[] = [...(persona.switchedOff ?? [])]
    if (persona.ratedShare === 0) reasons.push('averageConversationRating')
    expect(nullsOf(answer).sort()).toEqual(reasons.sort())
  }
})

test('a period with fewer than 20 conversations has no assessment', () => {
  for (let index = 0; index < 60; index++) {
    const answer = world.analytics({ seed: '1', modelId: unlistedModel(index), days: 30, now, persona: 'sparse' })
    expect(answer.recommendations === null).toBe(answer.conversationCount < 20)
  }
})

test('a model has the shape of its fixture unless the query names a shape or persona', () => {
  const shaped = fixtures.models.find(({ shape }) => shape === 'all-null')
  const query = { seed: '1', modelId: shaped?.id ?? '', days: 7, now } as const
  expect(world.analytics(query).conversationCount).toBe(0)
  expect(world.analytics({ ...query, persona: 'healthy' }).conversationCount).toBeGreaterThan(0)
  expect(world.analytics({ ...query, shape: 'no-null' }).conversationCount).toBeGreaterThan(0)
})

test('an unknown persona throws', () => {
  const query = { seed: '1', modelId: unlistedModel(1), days: 7, now, persona: 'perfect' } as const
  expect(() => world.analytics(query)).toThrow('unknown persona "perfect"; known: healthy')
})
