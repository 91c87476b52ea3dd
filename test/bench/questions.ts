import { randomUUID } from 'node:crypto'

/** One request of the service. */
export interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Behind the path that the target serves under. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const headers = { authorization: 'Bearer bench' }

/** Always the same model: warm from the second time on. */
export const warmAnalytics: Question = {
  method: 'GET',
  path: '/models/00000000-0000-4000-8000-000000000001/analytics?period=30d',
  headers,
}

/** A model that nobody has asked for. */
export function coldAnalytics(): Question {
  return { ...warmAnalytics, path: `/models/${randomUUID()}/analytics?period=90d` }
}

const run = randomUUID()
let count = 0

/** An event that was not sent before. */
export function newEvent(): Question {
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
      insertId: `${run}-${count}`,
      properties: { currency: 'EUR', plan: 'growth', seats: count % 30 },
    }),
  }
}
