const { behave } = require('cases')
const { useSandbox } = require('conversation-analytics-simulator/jest')

const sim = useSandbox()
test('another file uses the same simulator', () => behave(sim(), expect.getState().currentTestName))
