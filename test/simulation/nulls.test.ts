import { describe, expect, test } from 'vitest'
import type { Analytics } from '../../src/simulation/analytics.ts'
import { analyticsFields, pointFields } from '../support/analytics.ts'
import { createBundledWorld, loadBundledFixtures, now, periods, unlistedModel } from './bundled-world.ts'

const world = await createBundledWorld()
const fixtures = await loadBundledFixtures()

const fields = [...analyticsFields, ...pointFields]
const always = fields.filter(([, isNullable]) => !isNullable).map(([name]) => name)

const nullable = (of: ReadonlyMap<string, boolean>) => Array.from(of.keys()).filter((name) => of.get(name))

function answers(): Analytics[] {
  return world.personas.flatMap((persona) =>
    periods.flatMap((days) =>
      [1, 2, 3].map((index) => world.analytics({ seed: '1', modelId: unlistedModel(index), days, now, persona })),
    ),
  )
}

/** Returns the fields that are null in some object, and those that are set in some. */
function findNulls(objects: readonly object[]): { isNull: Set<string>; isSet: Set<string> } {
  const [isNull, isSet] = [new Set<string>(), new Set<string>()]
  for (const object of objects) {
    for (const [field, value] of Object.entries(object)) (value === null ? isNull : isSet).add(field)
  }
  return { isNull, isSet }
}

describe('over the personas', () => {
  const all = answers()

  test.each([
    ['top-level', all, analyticsFields],
    ['data point', all.flatMap(({ dataPoints }) => dataPoints), pointFields],
  ] as const)('every nullable %s field is null at least once and set at least once', (_, objects, documented) => {
    const { isNull, isSet } = findNulls(objects)
    expect(Object.keys(objects[0] ?? {})).toEqual([...documented.keys()])
    for (const field of nullable(documented)) {
      expect(isNull, field).toContain(field)
      expect(isSet, field).toContain(field)
    }
    for (const field of always) expect(isNull).not.toContain(field)
  })

  test('with traffic, a field is null only if the persona switches it off or gets no ratings', () => {
    for (const persona of fixtures.personas) {
      const answer = world.analytics({ seed: '1', modelId: unlistedModel(4), days: 90, now, persona: persona.name })
      if (answer.conversationCount < 200) continue
      const reasons: string[] = [...(persona.switchedOff ?? [])]
      if (persona.ratedShare === 0) reasons.push('averageConversationRating')
      expect([...findNulls([answer]).isNull].sort()).toEqual(reasons.sort())
    }
  })
})

test('a period with fewer than 20 conversations has no assessment', () => {
  for (let index = 0; index < 60; index++) {
    const answer = world.analytics({ seed: '1', modelId: unlistedModel(index), days: 30, now, persona: 'sparse' })
    expect(answer.recommendations === null).toBe(answer.conversationCount < 20)
  }
})

describe('shapes', () => {
  test.each(world.personas)('no-null leaves nothing null for %s', (persona) => {
    for (const days of periods) {
      const answer = world.analytics({ seed: '1', modelId: unlistedModel(1), days, now, persona, shape: 'no-null' })
      expect(findNulls([answer, ...answer.dataPoints]).isNull.size).toBe(0)
    }
  })

  test('all-null leaves only counts of zero', () => {
    const query = { seed: '1', modelId: unlistedModel(1), days: 30, now } as const
    const answer = world.analytics({ ...query, shape: 'all-null' })
    for (const each of [answer, ...answer.dataPoints]) {
      expect(each.conversationCount + each.messageCount).toBe(0)
      expect([...findNulls([each]).isSet].filter((field) => !always.includes(field))).toEqual([])
    }
  })

  test('a model has the shape of its fixture unless the query names a shape or persona', () => {
    const shaped = fixtures.models.find(({ shape }) => shape === 'all-null')
    const query = { seed: '1', modelId: shaped?.id ?? '', days: 7, now } as const
    expect(world.analytics(query).conversationCount).toBe(0)
    expect(world.analytics({ ...query, persona: 'healthy' }).conversationCount).toBeGreaterThan(0)
    expect(world.analytics({ ...query, shape: 'no-null' }).conversationCount).toBeGreaterThan(0)
  })
})

test('an unknown persona throws', () => {
  const query = { seed: '1', modelId: unlistedModel(1), days: 7, now, persona: 'perfect' } as const
  expect(() => world.analytics(query)).toThrow('unknown persona "perfect"; known: healthy')
})
