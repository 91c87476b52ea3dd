import { faker } from '@faker-js/faker/locale/base'
import { expect, test } from 'vitest'
import type { AnalyticsQuery } from '../../src/simulation/analytics.ts'
import { createBundledWorld, loadBundledFixtures, now, periods, unlistedModel } from './bundled-world.ts'

const queries: AnalyticsQuery[] = Array.from({ length: 40 }, (_, index) => unlistedModel(index)).flatMap((modelId) =>
  periods.map((days) => ({ seed: '1', modelId, days, now })),
)

test('two worlds give the same bytes whatever the order of queries', async () => {
  const [one, other] = [await createBundledWorld(), await createBundledWorld()]
  const forwards = queries.map((query) => JSON.stringify(one.analytics(query)))
  const backwards = queries.toReversed().map((query) => JSON.stringify(other.analytics(query)))
  expect(backwards.reverse()).toEqual(forwards)
})

test('the world neither affects other users of faker nor is affected by them', async () => {
  const world = await createBundledWorld()
  const query = { seed: '1', modelId: unlistedModel(1), days: 30, now } as const
  const before = world.analytics(query)
  faker.seed(7)
  const expected = faker.number.int()
  faker.seed(7)
  const between = world.analytics(query)
  expect(faker.number.int()).toBe(expected)
  expect(between).toEqual(before)
})

test('the drawn personas follow the weights', async () => {
  const world = await createBundledWorld()
  const drawn = Array.from({ length: 2000 }, (_, index) => world.personaOf('1', unlistedModel(index)))
  const shareOf = (name: string) => drawn.filter((each) => each === name).length / drawn.length
  const { personas } = await loadBundledFixtures()
  const total = personas.reduce((sum, { weight }) => sum + weight, 0)
  for (const { name, weight } of personas) expect(shareOf(name), name).toBeCloseTo(weight / total, 1)
  const weighted = personas.filter(({ weight }) => weight > 0)
  expect(new Set(drawn)).toEqual(new Set(weighted.map(({ name }) => name)))
})
