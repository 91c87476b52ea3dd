import { test } from 'node:test'
import { behave } from 'cases'
import { useSandbox } from 'conversation-analytics-simulator/node-test'

test('another file has the same simulator', async (t) => behave(await useSandbox(t), t.name))
