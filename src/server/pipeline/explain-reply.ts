import { isObject, type Json } from '../../base/core/json.ts'
import { endSentence } from '../../base/core/text.ts'
import type { DecisionTrace } from '../../service/exchange/decision-trace.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { Exchange } from './exchange.ts'

/**
 * Adds the reasons for a reply to the trace: each broken rule, the sentence of another refusal, or that nothing refuses
 * the request. `first` is the reply of the request stages, `sent` the one that left the reply stages.
 */
export function explainReply(trace: DecisionTrace, exchange: Exchange, first: Reply, sent: Reply): void {
  trace.decisions.push(...listReasons(exchange, first))
  if (sent.status !== first.status)
    trace.decisions.push(`A ${sent.status} replaces that response: ${readError(sent.body?.value)}`)
}

function listReasons(exchange: Exchange, reply: Reply): string[] {
  const { status, origin } = reply
  if (origin === 'scenario') return [] // the stage that found the scenario has named its source
  if (status < 400) return [`Nothing refuses the request, so the operation ${exchange.operation?.id} is carried out.`]
  const responses = `The stage "${exchange.stage}" returns ${status}:`
  if (exchange.violations.length === 0) return [`${responses} ${readError(reply.body?.value)}`]
  return exchange.violations.map(({ in: part, pointer, message }) =>
    endSentence(`${responses} ${part}${pointer} ${message}`),
  )
}

/** Returns the sentence of the service's error body; empty for another body. */
export function readError(value: Json | undefined): string {
  const error = isObject(value) ? value['error'] : undefined
  return typeof error === 'string' ? error : ''
}
