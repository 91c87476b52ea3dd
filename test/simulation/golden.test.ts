import { expect, test } from 'vitest'
import { now, shippedFixtures, shippedWorld } from './bundled-world.ts'

/*
 * What the world looks like, written down: an upgrade of faker, another engine or a change of a formula that alters
 * data is seen here. Where the change is meant, write the files anew with
 *
 *   npx vitest run --config test/vitest.config.ts -u test/simulation/golden.test.ts
 *
 * and say in the CHANGELOG that the same seed now gives other data.
 */
const world = await shippedWorld()
const { models } = await shippedFixtures()

test.each([
  ['healthy', 30],
  ['needs_attention', 30],
  ['critical', 7],
  ['declining', 90],
  ['spiky', 30],
  ['sparse', 30],
  ['new', 90],
  ['empty', 7],
] as const)('%s over %d days', async (persona, days) => {
  const modelId = models.find((model) => model.persona === persona)?.id ?? ''
  const answer = world.analytics({ seed: '1', modelId, days, now })
  const text = `${JSON.stringify(answer, null, 2)}\n`
  await expect(text).toMatchFileSnapshot(`${persona}-${days}d.golden.json`)
})
