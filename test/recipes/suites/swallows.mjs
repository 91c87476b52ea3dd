// A client that sends each request once and swallows every failure. Its tests check what they get.
import assert from 'node:assert/strict'
import { createClient, modelId, order } from './client.mjs'

const client = createClient(process.env.CONVSIM_BASE_URL, { attempts: 1 })
const swallow = () => undefined

const analytics = await client.readAnalytics(modelId).catch(swallow)
if (analytics) assert.equal(typeof analytics.messageCount, 'number')

const answer = await client.recordEvent(order).catch(swallow)
if (answer) assert.match(answer.eventId, /^[\da-f]{8}-/)
