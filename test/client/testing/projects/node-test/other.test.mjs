import { test } from 'node:test'
import { behave } from 'cases'
import { useSandbox } from 'conversation-analytics-simulator/node-test'

test('another file uses the same simulator', async (t) => behave(await useSandbox(t), t.name))
