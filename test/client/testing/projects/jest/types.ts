import { expect, test } from '@jest/globals'
import type { TestSandbox } from 'conversation-analytics-simulator'
import { useSandbox } from 'conversation-analytics-simulator/jest'

const sim = useSandbox()
const prepare = async (sandbox: TestSandbox) => sandbox.sequence(['429;retry-after=1', '200'])

test('names are typed', async () => {
  await prepare(sim())
  sim().allow('retry', 'unexpected')
  await sim().expectReceived('createEvent', { times: 1 })
  expect(await sim().events()).toHaveLength(1)
  // @ts-expect-error: `sim` is a function that returns the sandbox
  await sim.events()
})
