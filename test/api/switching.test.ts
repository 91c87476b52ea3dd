import { describe, expect, test } from 'vitest'
import { askOperation, operations } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

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
