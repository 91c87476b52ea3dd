import { isObject, type Json } from '../../../base/core/json.ts'
import { readJson } from '../../../base/core/strict-json.ts'
import { usableDeliveries } from '../../../service/exchange/delivery.ts'
import type { TrafficProblem } from './sample.ts'

/** The origins whose responses a reader takes: `upstream` is the real service, `contract` convsim. */
export type AcceptedOrigins = readonly ('upstream' | 'contract')[]

/** Returns the text of a member that should be a text or a number, and the empty text for anything else. */
export function toText(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const toTexts = (list: Json | undefined): string[] => (Array.isArray(list) ? list.map(toText) : [])

/** The fields of a recording, of any form, that tell if a response is one; undefined members are not in the file. */
interface RecordingFields {
  readonly status: Json | undefined
  /** The cause of the response as convsim names it. In a recording of another tool it is the service: `upstream`. */
  readonly origin: Json | undefined
  /** The damage that scenarios did to the response, with the kind of a delivery that was no ordinary one. */
  readonly damage: Json | undefined
  /** The texts of the scenarios that acted. */
  readonly scenarios: Json | undefined
  /** The end of the delivery to the client, as convsim names it. */
  readonly delivery: Json | undefined
  /** The recorded bytes of the response. */
  readonly body: Uint8Array | undefined
}

/**
 * Returns the reason why an exchange has no response of the real service that reached its end; undefined: it has one.
 */
export function findRecordingProblem(exchange: RecordingFields, accepted: AcceptedOrigins): TrafficProblem | undefined {
  return findOriginProblem(exchange, accepted) ?? findDeliveryProblem(exchange) ?? findStatusProblem(exchange)
}

/**
 * The text of a scenario that leaves the content of a simulated response as it is; those of the data family, with the
 * names of any personas, do not.
 */
const keepsContent = /^(slow|dribble|expect-violation|expect-refusal|\d{3})\s*(;|$)/

function findOriginProblem(exchange: RecordingFields, accepted: AcceptedOrigins): TrafficProblem | undefined {
  const { origin, damage, scenarios } = exchange
  const isDamaged = toTexts(damage).some((kind) => !usableDeliveries.includes(kind))
  const isMadeUp = origin === 'contract' && !toTexts(scenarios).every((text) => keepsContent.test(text))
  if (origin === 'scenario' || isDamaged || (isMadeUp && accepted.includes('contract')))
    return { problem: 'scenario', sentence: 'A scenario of convsim gave this response, or damaged it.' }
  if (origin === 'simulator') return describeProxyProblem(exchange)
  if (accepted.some((one) => one === origin)) return undefined
  const sentence =
    origin === undefined
      ? 'The recording does not say that the real service gave this response ("response": {"origin": "upstream"}), ' +
        'as a journal of convsim proxy does.'
      : 'convsim itself gave this response, not the real service. Record the traffic with convsim proxy.'
  return { problem: 'not-the-service', sentence }
}

/** Describes a response that convsim gave because the real service behind a proxy gave none: 504 and 502. */
function describeProxyProblem({ status, body }: RecordingFields): TrafficProblem {
  const reason = readErrorText(body)
  if (status === 504)
    return { problem: 'time-out', sentence: reason ?? 'The real service did not respond the proxy in time.' }
  if (status === 502) {
    const problem = /\bcertificate\b/.test(reason ?? '') ? 'certificate' : 'connection'
    return { problem, sentence: reason ?? 'The proxy got no response of the real service.' }
  }
  const sentence = 'convsim itself refused this request, so it did not reach the real service.'
  return { problem: 'not-the-service', sentence }
}

/** Returns the sentence of a refusal in the error shape of the service. */
function readErrorText(body: Uint8Array | undefined): string | undefined {
  const read = body && readJson(body, 100)
  return read?.ok && isObject(read.value) && typeof read.value.error === 'string' ? read.value.error : undefined
}

/** The ends of a delivery that leave a part of the response, with their reasons. */
const brokenDeliveries = new Map<Json, string>([
  ['client-gone', 'The client left before the end of the response.'],
  ['upstream-gone', 'The service broke its response off.'],
  ['server-stopped', 'The proxy stopped before the end of the response.'],
])

function findDeliveryProblem({ delivery }: RecordingFields): TrafficProblem | undefined {
  const outcome = isObject(delivery) ? delivery.outcome : undefined
  if (outcome === undefined || outcome === 'delivered') return undefined
  const sentence = brokenDeliveries.get(outcome) ?? 'The response did not reach its end.'
  return { problem: 'connection', sentence }
}

function findStatusProblem({ status }: RecordingFields): TrafficProblem | undefined {
  // A browser writes 0 for a request that it blocked, or that got no response.
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 999
  if (isStatus) return undefined
  const sentence = 'The recording has no response to this request: it has no status of HTTP.'
  return { problem: 'connection', sentence }
}
