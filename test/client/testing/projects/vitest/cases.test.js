import { behave, breakContract, ignoreRetryAfter, meet, requestUnknownPath, waitOnTimers } from 'cases'
import { ExpectationError } from 'conversation-analytics-simulator'
import { expect, test } from 'conversation-analytics-simulator/vitest'
import { describe, vi } from 'vitest'

test('a good client passes', ({ sim, task }) => behave(sim, task.name))

describe('a client', () => {
  test('that breaks the contract fails', ({ sim }) => breakContract(sim))
  test('that requests an unknown path fails', ({ sim }) => requestUnknownPath(sim))
  test('that ignores Retry-After fails', ({ sim }) => ignoreRetryAfter(sim))
})

test.fails('test.fails accepts findings as failures', ({ sim }) => ignoreRetryAfter(sim))

test('a test can allow retry problems', async ({ sim }) => {
  sim.allow('retry')
  await ignoreRetryAfter(sim)
})

test('an error thrown by the test itself is also shown', async ({ sim }) => {
  await requestUnknownPath(sim)
  throw new Error('the test is wrong')
})

test('a client waits with fake timers', async ({ sim }) => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  await waitOnTimers(sim, vi).finally(vi.useRealTimers)
})

let attempts = 0
test('a retried test starts with an empty sandbox', { retry: 1 }, async ({ sim, task }) => {
  await behave(sim, task.name)
  attempts += 1
  if (attempts === 1) await breakContract(sim)
})

test('a repeated test starts with an empty sandbox', { repeats: 2 }, ({ sim, task }) => behave(sim, task.name))

test.for([1, 2])('two tests from test.for have this name', (_number, { sim, task }) => behave(sim, task.name))

describe.concurrent('at the same time', () => {
  test.for([1, 2])('two concurrent tests have this name', async (_number, { sim, task }) => {
    await meet()
    await behave(sim, task.name)
  })
})

test('a failed expectation throws the exported ExpectationError', ({ sim }) =>
  expect(sim.expectReceived('createPrompt')).rejects.toBeInstanceOf(ExpectationError))

test.skip('a skipped test needs no sandbox', ({ sim }) => breakContract(sim))

test('a test without a sandbox passes', () => {})

test('matchers report what differs', async ({ sim, task }) => {
  await behave(sim, task.name)
  await expect(sim).toHaveReceived('createEvent', { times: 1 })
  await expect(sim).toHaveNoViolations()
  await expect(sim).toHaveNoFindings()
  await expect(sim).not.toHaveReceived('createPrompt')
  await expect(sim).toHaveReceived('createEvent', { match: { body: { eventType: 'refund' } } })
})
