import { describe, expect, test } from 'vitest'
import { askOperation, expectRefusal, operations } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

test.each([
  ['null;fields=conversationCount', /"conversationCount" is no nullable field.*avgSafetyScore/],
  [`null;fields=${'x'.repeat(2000)}`, /at most 2000 characters/],
  ['', /names no scenario/],
  ['forbidden, critical', /cannot both act on one answer/],
  ['200, 429', /cannot both act on one answer/],
])('the scenario %j cannot be understood, and is refused', async (text, words) => {
  const answer = await askOperation(sim(), operations[0], { headers: { 'x-sim-scenario': text } })
  expectRefusal(answer, 400, words)
  expect(answer.headers.get('x-sim-origin')).toBe('simulator')
})

describe('parameters', () => {
  const [analytics] = operations

  test.each([
    ['rate-limited', '1', '1000', 60],
    ['rate-limited;retry-after=3', '3', '3000', 60],
    ['rate-limited; retry-after = 3 ; limit=5', '3', '3000', 5],
    ['rate-limited;retry-after=0', '0', '0', 60],
    ['429;retry-after=7', '7', '7000', 60],
  ])('%s says when to come back', async (text, seconds, milliseconds, limit) => {
    const answer = await askOperation(sim(), analytics, { headers: { 'x-sim-scenario': text } })
    const fields = ['retry-after', 'retry-after-ms', 'ratelimit-policy'].map((name) => answer.headers.get(name))
    const policy = expect.stringContaining(`q=${limit};`)
    expect([answer.status, ...fields]).toEqual([429, seconds, milliseconds, policy])
  })

  test('a refusal that only may come leaves the rest something to act on', async () => {
    const scenario = 'rate-limited;p=0, null;fields=recommendations'
    const answer = await askOperation(sim(), analytics, { scenario })
    expect(answer.body).toMatchObject({ recommendations: null })
  })
})
