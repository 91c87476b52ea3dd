import { behave } from 'cases'
import { test } from 'conversation-analytics-simulator/playwright'

test('another file has the same simulator', ({ sim }, { title }) => behave(sim, title))
