const { behave, breakContract, ignoreRetryAfter, requestUnknownPath, waitOnTimers } = require('cases')
const { useSandbox } = require('conversation-analytics-simulator/jest')

const sim = useSandbox()
/** Returns the title of the running test, without the title of the `describe` block "with retries". */
const title = () => expect.getState().currentTestName.replace('with retries ', '')

test('a good client passes', () => behave(sim(), title()))

describe('a client', () => {
  test('that breaks the contract fails', () => breakContract(sim()))
  test('that requests an unknown path fails', () => requestUnknownPath(sim()))
  test('that ignores Retry-After fails', () => ignoreRetryAfter(sim()))
})

test('a test can allow retry problems', async () => {
  sim().allow('retry')
  await ignoreRetryAfter(sim())
})

test('a client waits with fake timers', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
  await waitOnTimers(sim(), jest).finally(jest.useRealTimers)
})

test('an error thrown by the test itself is also shown', async () => {
  await requestUnknownPath(sim())
  throw new Error('the test is wrong')
})

describe('with retries', () => {
  jest.retryTimes(1)
  let attempts = 0
  test('a retried test starts with an empty sandbox', async () => {
    await behave(sim(), title())
    attempts += 1
    if (attempts === 1) await breakContract(sim())
  })
})

test.each([1, 2])('two tests have this name', () => behave(sim(), title()))

test.concurrent('a concurrent test cannot have a sandbox', async () => void sim())

test.skip('a skipped test needs no sandbox', () => breakContract(sim()))

test('expectations report what differs', async () => {
  await behave(sim(), title())
  await sim().expectReceived('createEvent', { times: 1 })
  await sim().expectReceived('createEvent', { match: { body: { eventType: 'refund' } } })
})
