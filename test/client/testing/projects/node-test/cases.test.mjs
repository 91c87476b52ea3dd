import { describe, test } from 'node:test'
import { behave, breakContract, ignoreRetryAfter, meet, requestUnknownPath, waitOnTimers } from 'cases'
import { useSandbox } from 'conversation-analytics-simulator/node-test'

test('a good client passes', async (t) => behave(await useSandbox(t), t.name))

describe('a client', () => {
  test('that breaks the contract fails', async (t) => breakContract(await useSandbox(t)))
  test('that requests an unknown path fails', async (t) => requestUnknownPath(await useSandbox(t)))
  test('that ignores Retry-After fails', async (t) => ignoreRetryAfter(await useSandbox(t)))
})

test('a test can allow retry problems', async (t) => {
  const sim = await useSandbox(t)
  sim.allow('retry')
  await ignoreRetryAfter(sim)
})

test('a client waits with fake timers', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await waitOnTimers(await useSandbox(t), t.mock.timers)
})

test('an error thrown by the test itself is also shown', async (t) => {
  await requestUnknownPath(await useSandbox(t))
  throw new Error('the test is wrong')
})

for (const _number of [1, 2]) test('two tests have this name', async (t) => behave(await useSandbox(t), t.name))

describe('at the same time', { concurrency: true }, () => {
  for (const _number of [1, 2])
    test('two concurrent tests have this name', async (t) => {
      const sim = await useSandbox(t)
      await meet()
      await behave(sim, t.name)
    })
})

test('a test has subtests', async (t) => {
  await t.test('a subtest has its own sandbox', async (t) => behave(await useSandbox(t), t.name))
})

test('a skipped test needs no sandbox', { skip: true }, async (t) => breakContract(await useSandbox(t)))

test('a test without a sandbox passes', () => {})

test('expectations report what differs', async (t) => {
  const sim = await useSandbox(t)
  await behave(sim, t.name)
  await sim.expectReceived('createEvent', { times: 1 })
  await sim.expectReceived('createEvent', { match: { body: { eventType: 'refund' } } })
})
