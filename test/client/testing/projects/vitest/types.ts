import type { TestSandbox } from 'conversation-analytics-simulator'
import { expect, test } from 'conversation-analytics-simulator/vitest'

const prepare = async (sim: TestSandbox) => sim.sequence(['429;retry-after=1', '200'])

test('the sandbox can be passed to a function', ({ sim }) => prepare(sim))

test.for([1, 2])('the number %i and the sandbox are typed', async (number, { sim }) => {
  await sim.scenario('slow', { ms: number })
})

test('names are typed', async ({ sim }) => {
  sim.allow('retry', 'unexpected')
  await expect(sim).toHaveReceived('createEvent', { times: { atLeast: 1 }, match: { status: 201 } })
  await expect(sim).not.toHaveReceived('createPrompt')
  await expect(sim).toHaveNoFindings(['violation'])
  const anything = JSON.parse('{}')
  expect(anything).toEqual({})
  expect([1, 2]).toHaveLength(2)
  expect(expect.anything()).toBeDefined()
  await expect(Promise.resolve(1)).resolves.toBe(1)
  expect.soft(1).toBe(1)
  // @ts-expect-error: no such operation
  await expect(sim).toHaveReceived('createEvnt')
  // @ts-expect-error: no such matcher
  await expect(sim).toHaveReceivd('createEvent')
  // @ts-expect-error: a string is not a sandbox
  await expect('sim').toHaveReceived('createEvent')
  // @ts-expect-error: no such kind of finding
  sim.allow('retrys')
})

// @ts-expect-error: no such fixture
test('fixtures are typed', async ({ simulator }) => simulator)
