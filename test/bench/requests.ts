import { randomUUID } from 'node:crypto'

export interface BenchRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path, relative to the target's base path. The path of a hostile request is relative to the origin. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const headers = { authorization: 'Bearer bench' }

/** A request for the analytics of one model, which are cached after the first request. */
export const warmAnalytics: BenchRequest = {
  method: 'GET',
  path: '/models/00000000-0000-4000-8000-000000000001/analytics?period=30d',
  headers,
}

/** Creates a request for the analytics of a new model. */
export function coldAnalytics(): BenchRequest {
  return { ...warmAnalytics, path: `/models/${randomUUID()}/analytics?period=90d` }
}

const runId = randomUUID()
let count = 0

/** Creates a request that records a new event. */
export function newEvent(): BenchRequest {
  count += 1
  return {
    method: 'POST',
    path: '/events',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      eventType: 'upgrade_purchased',
      productId: '00000000-0000-4000-9000-000000000001',
      value: '149.00',
      valueType: 'currency',
      influence: 'positive',
      externalConversationId: `chat-${count % 500}`,
      externalUserId: `customer-${count % 100}`,
      eventAt: '2026-01-15T11:58:31.250Z',
      insertId: `${runId}-${count}`,
      properties: { currency: 'EUR', plan: 'growth', seats: count % 30 },
    }),
  }
}
