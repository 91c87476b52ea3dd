import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Analytics } from '../../src/simulation/analytics.ts'
import { createBundledWorld, now, unlistedModel } from './bundled-world.ts'

const world = await createBundledWorld()
const query = { seed: '1', modelId: unlistedModel(3), days: 30, now, persona: 'spiky' } as const
const seeded = world.analytics(query)

/** Returns everything that does not depend on conversation quality. */
function withoutQuality({ avgConversationQualityIndex: _, recommendations: __, dataPoints, ...others }: Analytics) {
  return { ...others, dataPoints: dataPoints.map(({ avgConversationQualityIndex: ___, ...point }) => point) }
}

test('a shift of 0 changes no byte', () => {
  for (const persona of world.personas) {
    const plain = world.analytics({ ...query, persona })
    expect(JSON.stringify(world.analytics({ ...query, persona, qualityShift: () => 0 }))).toBe(JSON.stringify(plain))
  }
})

test('a shift is added to the quality of its day and changes nothing else', () => {
  const shifted = world.analytics({ ...query, qualityShift: (day) => (day === '2026-01-10' ? -0.25 : 0) })
  expect(withoutQuality(shifted)).toEqual(withoutQuality(seeded))
  shifted.dataPoints.forEach((point, index) => {
    const before = seeded.dataPoints[index]?.avgConversationQualityIndex ?? Number.NaN
    const by = point.date.startsWith('2026-01-10') ? -0.25 : 0
    expect(point.avgConversationQualityIndex).toBeCloseTo(before + by, 10)
  })
  expect(shifted.avgConversationQualityIndex).toBeLessThan(seeded.avgConversationQualityIndex ?? 0)
  expect(shifted.recommendations?.summary).not.toBe(seeded.recommendations?.summary)
})

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

test('the assessment is based on the shifted quality', () => {
  const ruined = world.analytics({ ...query, persona: 'healthy', qualityShift: () => -0.6 })
  expect(ruined.recommendations?.healthLevel).toBe('critical')
  expect(ruined.recommendations?.detectedIssues.map(({ id }) => id)).toContain('very-low-quality')
})
