import { escapeNonAscii } from '../../base/core/text.ts'
import type { Violation } from '../../base/core/violation.ts'
import { olderRateHeaders } from '../../service/exchange/rate-headers.ts'
import { countBrokenRules } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { Exchange, ReplyStage } from './exchange.ts'

/** The longest violations header, in characters; clients and proxies refuse much longer headers. */
const maxHeaderLength = 4000

/** The settings of the headers that replies have besides those of the service. */
export interface HeaderSettings {
  /** Gives replies the informative headers (`X-Sim-...`). */
  readonly simHeaders: boolean
  /** The name of this process among the replicas, if replies are to have it. */
  readonly replica?: string | undefined
  /** The form of the reset in the `X-RateLimit-...` headers beside the `RateLimit` fields; `off`: there are none. */
  readonly xRateLimit: 'off' | 'epoch' | 'seconds'
}

export function finaliseHeaders({ simHeaders, replica, xRateLimit }: HeaderSettings): ReplyStage {
  return function finaliseHeaders(exchange, reply) {
    const headers = inAscii({ ...reply.headers, ...extraHeadersFor(exchange, reply) })
    if (xRateLimit !== 'off') Object.assign(headers, olderRateHeaders(headers, xRateLimit, exchange))
    if (simHeaders) addSimHeaders(headers, exchange, reply)
    if (simHeaders && replica !== undefined) headers['X-Sim-Replica'] = replica
    const { status, body, origin, stream } = reply
    if (reply.relay || reply.cookies) return { ...reply, headers }
    return stream ? { status, headers, body, origin, stream } : { status, headers, body, origin }
  }
}

/** Leaves out the acknowledgement where a refusal replaces the success status or the example that was preferred. */
function extraHeadersFor({ extraHeaders, requestedStatus }: Exchange, { origin, status }: Reply) {
  if (origin !== 'simulator' && status === (requestedStatus ?? status)) return extraHeaders
  const { 'Preference-Applied': _, ...others } = extraHeaders
  return others
}

function addSimHeaders(headers: Record<string, string>, exchange: Exchange, reply: Reply): void {
  const { request, operation, sandbox, scenarios, violations, advice } = exchange
  // The support of the real service asks for the id that the service gave its response.
  headers[headers['x-request-id'] === undefined ? 'X-Request-Id' : 'X-Sim-Request-Id'] = request.id
  headers['X-Sim-Origin'] = reply.origin
  headers['X-Sim-Sandbox'] = sandbox.name
  if (operation) headers['X-Sim-Operation'] = escapeNonAscii(operation.id)
  if (exchange.damage.length > 0) headers['X-Sim-Damage'] = escapeNonAscii(exchange.damage.join(', '))
  if (scenarios.length > 0) headers['X-Sim-Scenario'] = escapeNonAscii(scenarios.map(({ text }) => text).join(', '))
  if (violations.length > 0) headers['X-Sim-Violations'] = violationsHeader(violations)
  if (advice.length > 0) headers['X-Sim-Advice'] = violationsHeader(advice)
}

/** Returns `{"total":3,"violations":[...]}` without the last violations if not all fit; `more` if there may be more. */
function violationsHeader(violations: readonly Violation[]): string {
  for (let count = violations.length; count > 0; count -= 1) {
    const text = escapeNonAscii(
      JSON.stringify({ ...countBrokenRules(violations), violations: violations.slice(0, count) }),
    )
    if (text.length <= maxHeaderLength) return text
  }
  return JSON.stringify({ ...countBrokenRules(violations), violations: [] })
}

/** Escapes header values, since Node refuses characters beyond Latin-1, and names are of any alphabet. */
function inAscii(headers: Record<string, string>): Record<string, string> {
  for (const name in headers) headers[name] = escapeNonAscii(headers[name] ?? '')
  return headers
}
