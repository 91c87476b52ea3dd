import { pluralize } from '../../reports/report.ts'
import type { RecordedRequest } from './recorded-request.ts'

/**
 * Says why no request of a run without faults can meet a fault: `No request can meet a fault, since none got an ordinary answer: 2 x 401.`
 * Undefined: some can.
 */
export function describeNoPlace(requests: readonly RecordedRequest[]): string | undefined {
  if (requests.some(({ operation, isOrdinary }) => operation && isOrdinary)) return undefined
  const counts = new Map<string, number>()
  for (const request of requests) {
    const kind = describeAnswer(request)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const parts = [...counts].map(([kind, count]) => `${count} x ${kind}`)
  return `No request can meet a fault, since none got an ordinary answer: ${parts.join(', ') || pluralize(0, 'request')}.`
}

function describeAnswer({ operation, occurrence, status }: RecordedRequest): string {
  if (!operation) return `${status} on no operation`
  return occurrence === 0 && status < 400 ? `${status} of a request that steers the simulator` : `${status}`
}
