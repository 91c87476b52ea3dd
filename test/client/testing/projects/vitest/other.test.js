import { behave } from 'cases'
import { test } from 'conversation-analytics-simulator/vitest'

test('another file uses the same simulator', ({ sim, task }) => behave(sim, task.name))
