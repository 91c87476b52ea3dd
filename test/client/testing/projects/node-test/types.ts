import { test } from 'node:test'
import type { TestSandbox } from 'conversation-analytics-simulator'
import { useSandbox } from 'conversation-analytics-simulator/node-test'

const prepare = async (sandbox: TestSandbox) => sandbox.sequence(['429;retry-after=1', '200'])

test('names are typed', async (t) => {
  const sim = await useSandbox(t)
  await prepare(sim)
  sim.allow('retry', 'unexpected')
  await sim.expectReceived('createEvent', { times: 1 })
  // @ts-expect-error: the test context is missing
  await useSandbox()
})
