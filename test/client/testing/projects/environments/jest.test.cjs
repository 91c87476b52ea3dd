const { useSandbox } = require('conversation-analytics-simulator/jest')
const { behave, startOwnSimulator } = require('./behave.cjs')

const describeWithSetup = process.env.SETUP ? describe : describe.skip
describeWithSetup('a sandbox', () => {
  const sim = useSandbox()
  test('is available in a test', () => behave(sim()))
})

test('a simulator starts in the test process', startOwnSimulator)
