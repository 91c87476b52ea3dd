import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Analytics } from '../../src/simulation/analytics.ts'
import { createBundledWorld, now, unlistedModel } from './bundled-world.ts'

const world = await createBundledWorld()
const query = { seed: '1', modelId: unlistedModel(3), days: 30, now } as const

/** Returns everything that does not depend on conversation quality. */
function withoutQuality({ avgConversationQualityIndex: _, recommendations: __, dataPoints, ...others }: Analytics) {
  return { ...others, dataPoints: dataPoints.map(({ avgConversationQualityIndex: ___, ...point }) => point) }
}

test('quality stays within 0 and 1, and days without conversations stay null', () => {
  fc.assert(
    fc.property(fc.double({ min: -5, max: 5, noNaN: true }), fc.constantFrom(...world.personas), (by, persona) => {
      const plain = world.analytics({ ...query, persona })
      const shifted = world.analytics({ ...query, persona, qualityShift: () => by })
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
