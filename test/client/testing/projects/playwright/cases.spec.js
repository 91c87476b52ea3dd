import { behave, breakContract, ignoreRetryAfter, requestUnknownPath } from 'cases'
import { expect, test } from 'conversation-analytics-simulator/playwright'

test('a good client passes', ({ sim }, { title }) => behave(sim, title))

test.describe('a client', () => {
  test('that breaks the contract fails', ({ sim }) => breakContract(sim))
  test('that requests an unknown path fails', ({ sim }) => requestUnknownPath(sim))
  test('that ignores Retry-After fails', ({ sim }) => ignoreRetryAfter(sim))
})

test('test.fail accepts findings as failures', async ({ sim }) => {
  test.fail()
  await ignoreRetryAfter(sim)
})

test('a test can allow retry problems', async ({ sim }) => {
  sim.allow('retry')
  await ignoreRetryAfter(sim)
})

test('an error thrown by the test itself is also shown', async ({ sim }) => {
  await requestUnknownPath(sim)
  throw new Error('the test is wrong')
})

test.describe('with retries', () => {
  test.describe.configure({ retries: 1 })
  test('a retried test starts with an empty sandbox', async ({ sim }, { title, retry }) => {
    await behave(sim, title)
    if (retry === 0) await breakContract(sim)
  })
})

test.skip('a skipped test needs no sandbox', ({ sim }) => breakContract(sim))

test('a test without a sandbox passes', () => {})

test('matchers report what differs', async ({ sim }, { title }) => {
  await behave(sim, title)
  await expect(sim).toHaveReceived('createEvent', { times: 1 })
  await expect(sim).toHaveNoViolations()
  await expect(sim).toHaveNoFindings()
  await expect(sim).not.toHaveReceived('createPrompt')
  expect([1, 2]).toHaveLength(2)
  await expect(sim).toHaveReceived('createEvent', { match: { body: { eventType: 'refund' } } })
})
