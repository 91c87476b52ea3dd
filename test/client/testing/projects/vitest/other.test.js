import { behave } from 'cases'
import { test } from 'conversation-analytics-simulator/vitest'

test('another file has the same simulator', ({ sim, task }) => behave(sim, task.name))
