import { isObject, type Json } from '../../../base/core/json.ts'
import { readJson } from '../../../base/core/strict-json.ts'
import { readError } from '../../../service/exchange/refusals.ts'
import { usableDeliveries } from '../../../service/exchange/reply.ts'
import type { TrafficProblem } from './sample.ts'

/** The response origins that a reader accepts: `upstream` (the real service) and `contract` (simulated). */
export type AcceptedOrigins = readonly ('upstream' | 'contract')[]

export function toText(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const toTextList = (list: Json | undefined): string[] => (Array.isArray(list) ? list.map(toText) : [])

/**
 * The fields that determine whether a recording contains a response from the service. Only convsim records `origin`,
 * `damage`, `scenarios` and `delivery`. In recordings from other tools, `origin` is assumed to be `upstream`.
 */
interface RecordingFields
  extends Readonly<Record<'status' | 'origin' | 'damage' | 'scenarios' | 'delivery', Json | undefined>> {
  readonly body: Uint8Array | undefined
}

export function findRecordingProblem(exchange: RecordingFields, accepted: AcceptedOrigins): TrafficProblem | undefined {
  const { status, origin, delivery } = exchange
  if (isFromScenario(exchange, accepted))
    return { problem: 'scenario', sentence: 'A convsim scenario sent or changed this response.' }
  if (origin === 'simulator') return describeProxyProblem(exchange)
  if (!accepted.some((name) => name === origin))
    return {
      problem: 'not-the-service',
      sentence: 'convsim itself, not the real service, sent this response. Record the traffic with convsim proxy.',
    }
  const outcome = isObject(delivery) ? (delivery.outcome ?? 'delivered') : 'delivered'
  if (outcome !== 'delivered')
    return { problem: 'connection', sentence: `The response was not delivered completely: ${toText(outcome)}.` }
  // Browsers record the status 0 for a request that was blocked or got no response.
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 999
  if (isStatus) return undefined
  return { problem: 'connection', sentence: 'The recording has no response: the HTTP status is missing or invalid.' }
}

/** Matches scenarios that leave the content of a simulated response unchanged, or only select its status. */
const keepsContent = /^(slow|dribble|expect-violation|expect-refusal|\d{3})\s*(;|$)/

function isFromScenario({ origin, damage, scenarios }: RecordingFields, accepted: AcceptedOrigins): boolean {
  const isDamaged = toTextList(damage).some((kind) => !usableDeliveries.includes(kind))
  const isChanged = origin === 'contract' && !toTextList(scenarios).every((text) => keepsContent.test(text))
  return origin === 'scenario' || origin === 'gateway' || isDamaged || (isChanged && accepted.includes('contract'))
}

/** Describes a response that the proxy sent itself: 504 or 502 if the real service did not respond, or a refusal. */
function describeProxyProblem({ status, body }: RecordingFields): TrafficProblem {
  const read = body && readJson(body, 100)
  const reason = (read?.ok && readError(read.value)) || undefined
  if (status === 504 || status === 502)
    return {
      problem: status === 504 ? 'time-out' : 'connection',
      sentence: reason ?? 'The proxy got no response from the real service.',
    }
  const sentence = 'This request did not reach the real service, because convsim itself refused it.'
  return { problem: 'not-the-service', sentence }
}
