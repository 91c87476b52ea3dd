const { useSandbox } = require('conversation-analytics-simulator/jest')
const { behave, startOwn } = require('./behave.cjs')

const describeWithSetUp = process.env.SETUP ? describe : describe.skip
describeWithSetUp('a sandbox', () => {
  const sim = useSandbox()
  test('of each test', () => behave(sim()))
})

test('a simulator in the process', startOwn)
