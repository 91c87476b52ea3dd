import { faker } from '@faker-js/faker/locale/base'
import { expect, test } from 'vitest'
import type { AnalyticsQuery } from '../../src/simulation/analytics.ts'
import { anyModel, now, periods, shippedWorld } from './bundled-world.ts'

const queries: AnalyticsQuery[] = Array.from({ length: 40 }, (_, index) => anyModel(index)).flatMap(
  (modelId) => periods.map((days) => ({ seed: '1', modelId, days, now })),
)

test('two worlds that are asked in different orders answer with the same bytes', async () => {
  const [one, other] = [await shippedWorld(), await shippedWorld()]
  const forwards = queries.map((query) => JSON.stringify(one.analytics(query)))
  const backwards = queries.toReversed().map((query) => JSON.stringify(other.analytics(query)))
  expect(backwards.reverse()).toEqual(forwards)
})

test('another seed is another world', async () => {
  const world = await shippedWorld()
  const query = { modelId: anyModel(1), days: 30, now, persona: 'healthy' } as const
  expect(world.analytics({ ...query, seed: '1' })).not.toEqual(world.analytics({ ...query, seed: '2' }))
})

test('a model id means the same in upper case', async () => {
  const world = await shippedWorld()
  const query = { seed: '1', days: 30, now } as const
  const upper = world.analytics({ ...query, modelId: anyModel(1).toUpperCase() })
  expect(upper).toEqual(world.analytics({ ...query, modelId: anyModel(1) }))
})

test('nobody else who uses faker is disturbed, nor disturbs', async () => {
  const world = await shippedWorld()
  const query = { seed: '1', modelId: anyModel(1), days: 30, now } as const
  const undisturbed = world.analytics(query)
  faker.seed(7)
  const expected = faker.number.int()
  faker.seed(7)
  const between = world.analytics(query)
  expect(faker.number.int()).toBe(expected)
  expect(between).toEqual(undisturbed)
})

test('the drawn personas follow the weights', async () => {
  const world = await shippedWorld()
  const drawn = Array.from({ length: 2000 }, (_, index) => world.personaOf('1', anyModel(index)))
  const shareOf = (name: string) => drawn.filter((each) => each === name).length / drawn.length
  expect(shareOf('healthy')).toBeCloseTo(0.3, 1)
  expect(new Set(drawn)).toEqual(new Set(world.personas))
})
