import { expect, test } from 'conversation-analytics-simulator/vitest'
import { clientOf, model } from './client-of.ts'

test('the free plan has no figures', async ({ sim }) => {
  await sim.scenario('expect-refusal', {}, { operation: 'getModelAnalytics' })
  await expect(clientOf(sim, 'key_free').readFigures(model)).rejects.toMatchObject({ status: 403 })
})

test('the client does not wait for half an hour', async ({ sim }) => {
  await sim.scenario('rate-limited', { 'retry-after': 1800 })
  await expect(clientOf(sim).readFigures(model)).rejects.toMatchObject({ status: 429, retryAfter: 1800 })
})

test('the figures end with the day of the clock', async ({ sim }) => {
  await sim.clock.freeze('2026-01-15T12:00:00Z')
  expect((await clientOf(sim).readFigures(model)).lastDay).toBe('2026-01-15')
  await sim.clock.advance('1d')
  expect((await clientOf(sim).readFigures(model)).lastDay).toBe('2026-01-16')
})

test('a model without detections has figures all the same', async ({ sim }) => {
  await sim.scenario('basic')
  const figures = await clientOf(sim).readFigures(model)
  expect(figures.conversations).toBeGreaterThan(0)
  expect(figures.hallucinations).toBeUndefined()
})

test('an answer that lacks a field is noticed', async ({ sim }) => {
  await sim.scenario('drop-field', { pointer: '/conversationCount' })
  await expect(clientOf(sim).readFigures(model)).rejects.toThrow('no conversationCount')
})
