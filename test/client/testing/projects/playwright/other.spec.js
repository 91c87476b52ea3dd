import { behave } from 'cases'
import { test } from 'conversation-analytics-simulator/playwright'

test('another file uses the same simulator', ({ sim }, { title }) => behave(sim, title))
