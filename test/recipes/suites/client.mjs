/** The client that the sample suites test, as a team would write it: each call, with or without retries. */

const headers = { authorization: 'Bearer any-key', 'content-type': 'application/json' }

/** Creates a client. `attempts`: how often a call is sent before it fails. */
export function createClient(baseUrl, { attempts }) {
  /** Sends a request, again after a failure that passes, and returns the body of a success. */
  async function call(path, init) {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await send(baseUrl + path, init)
      if (outcome.body !== undefined) return outcome.body
      if (attempt === attempts || !outcome.canRetry) throw new Error(outcome.reason)
      await new Promise((resolve) => setTimeout(resolve, outcome.waitMs ?? 100 * attempt))
    }
  }
  return {
    readAnalytics: (modelId) => call(`/models/${modelId}/analytics?period=7d`, { headers }),
    recordEvent: (event) => call('/events', { method: 'POST', headers, body: JSON.stringify(event) }),
  }
}

/** Sends a request once. */
async function send(url, init) {
  try {
    const response = await fetch(url, init)
    const text = await response.text()
    if (response.ok) return { body: JSON.parse(text) }
    const after = response.headers.get('retry-after') // seconds, or a date
    const demandedMs = /^\d+$/.test(after ?? '') ? 1000 * Number(after) : Date.parse(after) - Date.now()
    // A little longer than demanded: the service counts from when it has sent the response.
    const waitMs = after === null ? undefined : demandedMs + 100
    return {
      canRetry: response.status === 429 || response.status >= 500,
      waitMs,
      reason: `status ${response.status}`,
    }
  } catch (error) {
    return { canRetry: true, reason: error.message }
  }
}

export const modelId = '00000000-0000-4000-8000-000000000002'

export const order = {
  eventType: 'purchase',
  productId: '00000000-0000-4000-9000-000000000002',
  value: '149.00',
  valueType: 'currency',
  externalConversationId: 'chat-42',
  insertId: 'order-42',
}
