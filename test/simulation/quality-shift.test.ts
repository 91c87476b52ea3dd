import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Analytics } from '../../src/simulation/analytics.ts'
import { anyModel, now, shippedWorld } from './bundled-world.ts'

const world = await shippedWorld()
const query = { seed: '1', modelId: anyModel(3), days: 30, now, persona: 'spiky' } as const
const seeded = world.analytics(query)

/** Everything that must not follow from conversation quality. */
function rest({ avgConversationQualityIndex: _, recommendations: __, dataPoints, ...others }: Analytics) {
  return { ...others, dataPoints: dataPoints.map(({ avgConversationQualityIndex: ___, ...point }) => point) }
}

test('a shift of 0 leaves every byte as it was', () => {
  for (const persona of world.personas) {
    const plain = world.analytics({ ...query, persona })
    expect(JSON.stringify(world.analytics({ ...query, persona, qualityShift: () => 0 }))).toBe(
      JSON.stringify(plain),
    )
  }
})

test('a shift moves the quality of its day by as much, and nothing else', () => {
  const shifted = world.analytics({ ...query, qualityShift: (day) => (day === '2026-01-10' ? -0.25 : 0) })
  expect(rest(shifted)).toEqual(rest(seeded))
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
    fc.property(
      fc.double({ min: -5, max: 5, noNaN: true }),
      fc.constantFrom(...world.personas),
      (by, persona) => {
        const plain = world.analytics({ ...query, persona })
        const shifted = world.analytics({ ...query, persona, qualityShift: () => by })
        expect(rest(shifted)).toEqual(rest(plain))
        for (const point of shifted.dataPoints) {
          const quality = point.avgConversationQualityIndex
          expect(quality === null).toBe(point.conversationCount === 0)
          if (quality !== null) expect(quality >= 0 && quality <= 1).toBe(true)
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('what follows from quality follows from the shifted one', () => {
  const ruined = world.analytics({ ...query, persona: 'healthy', qualityShift: () => -0.6 })
  expect(ruined.recommendations?.healthLevel).toBe('critical')
  expect(ruined.recommendations?.detectedIssues.map(({ id }) => id)).toContain('very-low-quality')
})
