import { expect, test } from 'conversation-analytics-simulator/vitest'
import { behave, startOwnSimulator } from './behave.cjs'

test('the fixture and the matchers work', async ({ sim }) => {
  await behave(sim)
  await expect(sim).toHaveReceived('createEvent')
  await expect(sim).toHaveNoViolations()
})

test('a simulator starts in the test process', startOwnSimulator)
