import { expect, test } from 'vitest'
import { fitPersona } from '../../src/simulation/fit-persona.ts'
import { createBundledWorld, loadBundledFixtures, now } from './bundled-world.ts'

const modelId = '4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34'
const world = await createBundledWorld()
const { personas: bundled } = await loadBundledFixtures()

/** Fits a persona to the answer about a model that has a bundled persona. */
const fitOf = (persona: string, days = 90) =>
  fitPersona([world.analytics({ seed: '1', modelId, days, now, persona })], {
    name: 'fitted',
    seed: '1',
    modelId,
  })

test.each(['healthy', 'needs_attention', 'critical'])(
  'the persona fitted to %s is close to it',
  async (name) => {
    const fitted = fitOf(name)
    const original = bundled.find((persona) => persona.name === name)
    if (!fitted.ok || !original) throw new Error('no persona')
    const { traffic, scores, spread, detections } = fitted.value
    for (const [score, typical] of Object.entries(original.scores))
      expect(Math.abs(Reflect.get(scores, score) - typical), score).toBeLessThan(0.03)
    expect(Math.abs(spread - original.spread)).toBeLessThan(0.03)
    expect(traffic.conversationsPerDay / original.traffic.conversationsPerDay).toBeCloseTo(1, 0)
    expect(Math.abs(traffic.weekend - original.traffic.weekend)).toBeLessThan(0.1)
    expect(traffic.silence).toBe(0)
    const { hallucinationCount } = original.detections
    expect(detections.hallucinationCount / hallucinationCount).toBeCloseTo(1, 0)
  },
)

test('fields that are null in spite of traffic are switched off, and days without any are silent', () => {
  const basic = fitOf('basic')
  expect(basic.ok && basic.value.switchedOff).toContain('averageFrustration')
  const sparse = fitOf('sparse')
  expect(sparse.ok && sparse.value.traffic.silence).toBeGreaterThan(0.3)
})

test('nothing is fitted to too few days, or to scores of another range', () => {
  expect(fitOf('empty')).toEqual({
    ok: false,
    error: 'only 0 days with conversations were seen, and 5 are needed',
  })
  const answer = world.analytics({ seed: '1', modelId, days: 30, now, persona: 'healthy' })
  const dataPoints = answer.dataPoints.map((point) => ({ ...point, avgSafetyScore: 97 }))
  expect(fitPersona([{ ...answer, dataPoints }], { name: 'fitted', seed: '1', modelId })).toMatchObject({
    ok: false,
    error: expect.stringContaining('not from 0 to 1'),
  })
})
