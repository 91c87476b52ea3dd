import { expect, test } from 'conversation-analytics-simulator/vitest'
import { behave, startOwn } from './behave.cjs'

test('a fixture and its matchers', async ({ sim }) => {
  await behave(sim)
  await expect(sim).toHaveReceived('createEvent')
  await expect(sim).toHaveNoViolations()
})

test('a simulator in the process', startOwn)
