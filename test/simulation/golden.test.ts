import { expect, test } from 'vitest'
import { compareGolden } from '../support/golden.ts'
import { createBundledWorld, loadBundledFixtures, now } from './bundled-world.ts'

/*
 * The golden files pin the data of the bundled fixtures: they differ when an upgrade of faker, another engine or a changed
 * formula alters data. If that is intended, write them again with
 *
 *   npm test -- test/simulation/golden.test.ts -u
 *
 * and state in the CHANGELOG that the same seed now gives other data.
 */
const world = await createBundledWorld()
const { models } = await loadBundledFixtures()

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
  await compareGolden('test/simulation/golden.test.ts', () =>
    expect(text).toMatchFileSnapshot(`${persona}-${days}d.golden.json`),
  )
})
