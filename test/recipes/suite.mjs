// A client as a team would write it, and three suites that test it. `good` checks every field that it reads,
// `swallows` does not retry, and goes on after each failure, `asserts-little` checks hardly anything.
import assert from 'node:assert/strict'

const [suite] = process.argv.slice(2)
const attempts = suite === 'swallows' ? 1 : 3
const headers = { authorization: 'Bearer any-key', 'content-type': 'application/json' }

/** Sends a request, again after a failure that passes, and returns the body of a success. */
async function call(path, init = {}) {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await send(path, init)
    if (outcome.body !== undefined) return outcome.body
    if (attempt === attempts || !outcome.canRetry) throw new Error(outcome.reason)
    await new Promise((resolve) => setTimeout(resolve, outcome.waitMs ?? 100 * attempt))
  }
}

/** Sends a request once. */
async function send(path, init) {
  try {
    const response = await fetch(process.env.CONVSIM_BASE_URL + path, { ...init, headers })
    const text = await response.text()
    if (response.ok) return { body: JSON.parse(text) }
    const after = response.headers.get('retry-after') // seconds, or a date
    const demandedMs = /^\d+$/.test(after ?? '') ? 1000 * Number(after) : Date.parse(after) - Date.now()
    // A little longer than demanded: the service counts from when it has sent the response.
    const waitMs = after === null ? undefined : demandedMs + 100
    const { status } = response
    return { canRetry: status === 429 || status >= 500, waitMs, reason: `status ${status}` }
  } catch (error) {
    return { canRetry: true, reason: error.message }
  }
}

const order = {
  eventType: 'purchase',
  productId: '00000000-0000-4000-9000-000000000002',
  value: '149.00',
  valueType: 'currency',
  externalConversationId: 'chat-42',
  insertId: 'order-42',
}

const swallow = (error) => {
  if (suite !== 'swallows') throw error
}
const analytics = await call('/models/00000000-0000-4000-8000-000000000002/analytics?period=7d').catch(swallow)
const recorded = await call('/events', { method: 'POST', body: JSON.stringify(order) }).catch(swallow)

if (suite === 'good') {
  assert.match(analytics.recommendations.healthLevel, /^(healthy|needs_attention|critical)$/)
  assert.equal(typeof analytics.conversationCount, 'number')
  assert.equal(recorded.success, true)
}
if (suite !== 'asserts-little') {
  if (analytics) assert.equal(typeof analytics.messageCount, 'number')
  if (recorded) assert.match(recorded.eventId, /^[\da-f]{8}-/)
}
