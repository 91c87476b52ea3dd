// A client that retries, and reads the same fields, but tests that check hardly anything.
import assert from 'node:assert/strict'
import { createClient, modelId, order } from './client.mjs'

const client = createClient(process.env.CONVSIM_BASE_URL, { attempts: 3 })

const analytics = await client.readAnalytics(modelId)
assert.ok(analytics)

const response = await client.recordEvent(order)
assert.ok(response)
