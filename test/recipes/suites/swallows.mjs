// A client that sends each request once and swallows every failure. Its tests check what they get.
import assert from 'node:assert/strict'
import { createClient, modelId, order } from './client.mjs'

const client = createClient(process.env.CONVSIM_BASE_URL, { attempts: 1 })
const swallow = () => undefined

const analytics = await client.readAnalytics(modelId).catch(swallow)
if (analytics) assert.equal(typeof analytics.messageCount, 'number')

const response = await client.recordEvent(order).catch(swallow)
if (response) assert.match(response.eventId, /^[\da-f]{8}-/)
