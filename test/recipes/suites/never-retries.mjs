// A client that sends each request once. Its tests check every field that it reads.
import assert from 'node:assert/strict'
import { createClient, modelId, order } from './client.mjs'

const client = createClient(process.env.CONVSIM_BASE_URL, { attempts: 1 })

const { recommendations, conversationCount, messageCount } = await client.readAnalytics(modelId)
assert.match(recommendations.healthLevel, /^(healthy|needs_attention|critical)$/)
assert.equal(typeof conversationCount, 'number')
assert.equal(typeof messageCount, 'number')

const { success, eventId } = await client.recordEvent(order)
assert.equal(success, true)
assert.match(eventId, /^[\da-f]{8}-/)
