import type { Violation } from '../documents/violation.ts'
import { bytesOf, type Exchange, type Reply } from '../exchange/exchange.ts'
import { totalOf } from '../exchange/refusals.ts'

/** Room for the violations in a header; clients and proxies refuse much longer ones. */
const maxHeaderLength = 4000

/** The answer as it goes out: its bytes, and what tells its reader what it was: our informative headers, all or none. */
export function finaliseHeaders(simHeaders: boolean) {
  return function mark(exchange: Exchange, reply: Reply): Reply {
    const headers = inAscii({ ...reply.headers, ...exchange.extraHeaders })
    if (simHeaders) inform(headers, exchange, reply)
    const { status, body, origin, mediaType, cached, stream } = reply
    // Member by member: replies come in many forms, and the engine is slow to read what it has seen in too many.
    return { status, headers, body, origin, mediaType, bytes: bytesOf(reply), cached, stream }
  }
}

function inform(headers: Record<string, string>, exchange: Exchange, reply: Reply): void {
  const { request, operation, sandbox, scenarios, violations } = exchange
  headers['X-Request-Id'] = request.id
  headers['X-Sim-Origin'] = reply.origin
  headers['X-Sim-Sandbox'] = sandbox.name
  if (operation) headers['X-Sim-Operation'] = ascii(operation.id)
  if (exchange.damage.length > 0) headers['X-Sim-Damage'] = ascii(exchange.damage.join(', '))
  if (scenarios.length > 0) headers['X-Sim-Scenario'] = ascii(scenarios.map(({ text }) => text).join(', '))
  if (violations.length > 0) headers['X-Sim-Violations'] = violationsHeader(violations)
}

/** `{"total":3,"violations":[...]}`: always whole JSON. Where room is short there are fewer, and `total` tells. */
export function violationsHeader(violations: readonly Violation[]): string {
  for (let count = violations.length; count > 0; count -= 1) {
    const text = ascii(JSON.stringify({ total: totalOf(violations), violations: violations.slice(0, count) }))
    if (text.length <= maxHeaderLength) return text
  }
  return JSON.stringify({ total: totalOf(violations), violations: [] })
}

/** Node refuses a header of other letters, and names come from documents and requests of any alphabet. */
function inAscii(headers: Record<string, string>): Record<string, string> {
  for (const name in headers) headers[name] = ascii(headers[name] ?? '')
  return headers
}

/** Header values are visible ASCII; in JSON the escapes mean the same characters. */
function ascii(text: string): string {
  if (!/[^\x20-\x7e]/.test(text)) return text
  return text.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
