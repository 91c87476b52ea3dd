import type { TestSandbox } from 'conversation-analytics-simulator'
import { expect, test } from 'conversation-analytics-simulator/playwright'

const prepare = async (sim: TestSandbox) => sim.sequence(['429;retry-after=1', '200'])

test.beforeEach(({ sim }) => prepare(sim))

test('names are typed', async ({ page, sim }) => {
  sim.allow('retry', 'unexpected')
  await expect(page).toHaveTitle('')
  await expect(sim).toHaveReceived('createEvent', { times: 1 })
  await expect(sim).not.toHaveReceived('createPrompt')
  const anything = JSON.parse('{}')
  expect(anything).toEqual({})
  expect([1, 2], { message: 'two' }).toHaveLength(2)
  await expect.poll(async () => (await sim.events()).length).toBe(0)
  // @ts-expect-error: no such operation
  await expect(sim).toHaveReceived('createEvnt')
  // @ts-expect-error: no such matcher
  await expect(sim).toHaveReceivd('createEvent')
  // @ts-expect-error: a string is not a sandbox
  await expect('sim').toHaveReceived('createEvent')
})

// @ts-expect-error: no such fixture
test('fixtures are typed', async ({ simulator }) => simulator)
