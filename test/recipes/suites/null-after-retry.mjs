// A client that retries, and takes null where the contract allows it, with tests that check this. Only its code for the
// answer after a 429 forgets that there may be no rating.
import assert from 'node:assert/strict'
import { createClient, modelId, order } from './client.mjs'

const headers = { authorization: 'Bearer any-key' }
const url = `${process.env.CONVSIM_BASE_URL}/models/${modelId}/analytics?period=7d`
const client = createClient(process.env.CONVSIM_BASE_URL, { attempts: 5 })

/** Reads the rating of the model as text: `4.2`, or `no ratings`. */
async function readRating() {
  const first = await fetch(url, { headers }).catch(() => undefined)
  if (first?.status === 429) {
    await first.arrayBuffer()
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(first.headers.get('retry-after')) + 100))
    const { averageConversationRating } = await client.readAnalytics(modelId)
    return averageConversationRating.toFixed(1) // the planted bug
  }
  const { averageConversationRating } =
    (first?.ok && (await first.json().catch(() => undefined))) || (await client.readAnalytics(modelId))
  return averageConversationRating === null ? 'no ratings' : averageConversationRating.toFixed(1)
}

assert.match(await readRating(), /^(\d\.\d|no ratings)$/)

const { success, eventId } = await client.recordEvent(order)
assert.equal(success, true)
assert.match(eventId, /^[\da-f]{8}-/)
