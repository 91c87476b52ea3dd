import { groupBy } from '../../../base/core/group-by.ts'
import { isObject, type Json } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { JournalEntry, LiveExchange } from '../../../server/journal/entry.ts'
import { parseBody } from '../../../server/journal/entry-json.ts'
import { isIdempotent } from '../../../server/reports/retries/attempt.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { readQuery } from '../../../service/exchange/request.ts'

export interface RecordedRequest extends Pick<JournalEntry, 'receivedAt' | 'scenarios' | 'damage'> {
  readonly operation: Operation | undefined
  /** The request's number (from 1) among the operation's requests that can get a fault; 0 if this request cannot. */
  readonly occurrence: number
  /** The operation ID (or, if none matches, the method and path), the query, and the body's member names and types. */
  readonly call: string
  /** The request's values by name: `path`, `?period` in the query, `/eventType` in the body. */
  readonly members: ReadonlyMap<string, string>
  /** The `call`, followed by the status of the response. */
  readonly signature: string
  readonly status: number
  /** True if the service's successful response was delivered undamaged, and the request can get a fault. */
  readonly isOrdinary: boolean
  /** True if the status is below 400 and the whole response was delivered. */
  readonly isGood: boolean
  /** The response body as JSON, even if it was not delivered; undefined unless the service accepted an event. */
  readonly stored: string | undefined
  /** The body of the response; undefined if it has none. */
  readonly response: Json | undefined
  /** The request as shown in reports: `POST /v1/events 503 unavailable`. */
  readonly line: string
}

export function toRecordedRequest(entry: JournalEntry, live: LiveExchange, occurrence: number): RecordedRequest {
  const { request, response, delivery, receivedAt, scenarios, damage } = entry
  const { operation } = live
  const { status } = response
  const path = request.path.replace(/^\/_s\/[^/]*/, '')
  const body = live.requestBody ?? parseBody(request.body)
  const query = Object.entries(readQuery(request.query)).map(([name, value]) => [name, `${value}`] as const)
  const parameters = query.map((pair) => pair.join('=')).sort()
  const call = [
    operation?.id ?? `${request.method} ${path}`,
    ...(parameters.length > 0 ? [`?${parameters.join('&')}`] : []),
    ...(body === undefined ? [] : [describeShape(body)]),
  ].join(' ')
  const isDelivered = delivery.kind === 'delivered'
  const isGood = status < 400 && isDelivered
  const isStored = status < 300 && response.origin === 'contract'
  return {
    operation,
    occurrence,
    call,
    members: new Map([
      ['path', path],
      ...query.map(([name, value]) => [`?${name}`, value] as const),
      ...(body === undefined ? [] : listLeaves(body, '')),
    ]),
    signature: `${call} ${status}`,
    status,
    isOrdinary: isGood && occurrence > 0 && response.origin === 'contract' && damage.length === 0,
    isGood,
    stored: operation && isStored && isIdempotent(operation) ? JSON.stringify(live.responseBody) : undefined,
    response: live.responseBody,
    line: [request.method, request.path, isDelivered ? status : delivery.kind, ...scenarios].join(' '),
    receivedAt,
    scenarios,
    damage,
  }
}

/** Describes a value's names and types; each type of array item appears once: `{eventType:string,tags:[string]}`. */
function describeShape(value: Json): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(describeShape))].sort().join(',')}]`
  if (!isObject(value)) return value === null ? 'null' : typeof value
  const members = Object.entries(value).map(([name, inner]) => `${name}:${describeShape(inner)}`)
  return `{${members.sort().join(',')}}`
}

function listLeaves(value: Json, pointer: string): (readonly [string, string])[] {
  const inner = Array.isArray(value) || isObject(value) ? Object.entries(value) : []
  if (inner.length === 0) return [[pointer, JSON.stringify(value)]]
  return inner.flatMap(([name, one]) => listLeaves(one, joinPointer(pointer, name)))
}

/** Describes up to 10 signatures whose counts differ between two runs. The order of the requests does not matter. */
export function compareRuns(one: readonly RecordedRequest[], other: readonly RecordedRequest[]): string[] {
  const signatureOf = ({ signature }: RecordedRequest) => signature
  const [before, after] = [groupBy(one, signatureOf), groupBy(other, signatureOf)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((signature) => [signature, before.get(signature)?.length ?? 0, after.get(signature)?.length ?? 0] as const)
    .filter(([, first, second]) => first !== second)
    .slice(0, 10)
    .map(([signature, first, second]) => `${signature}: ${first} in the first run, ${second} in a later run`)
}

/** Returns the names (see `nameMember`) of the members whose values differ between two runs without faults. */
export function findVaryingMembers(
  one: readonly RecordedRequest[],
  other: readonly RecordedRequest[],
): ReadonlySet<string> {
  const [first, second] = [collectValues(one), collectValues(other)]
  const names = [...first.keys(), ...second.keys()]
  return new Set(names.filter((name) => first.get(name) !== second.get(name)))
}

export function nameMember(call: string, member: string): string {
  return `${call} ${member}`
}

/** Collects the values of each member as one string, sorted so that the order of requests does not matter. */
function collectValues(requests: readonly RecordedRequest[]): ReadonlyMap<string, string> {
  const all = requests.flatMap(({ call, members }) =>
    [...members].map(([member, value]) => ({ name: nameMember(call, member), value })),
  )
  const groups = groupBy(all, ({ name }) => name)
  return new Map([...groups].map(([name, own]) => [name, JSON.stringify(own.map(({ value }) => value).sort())]))
}
