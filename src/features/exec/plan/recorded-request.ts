import { groupBy } from '../../../base/core/group-by.ts'
import { isObject, type Json } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import { readQuery } from '../../../base/core/query-string.ts'
import type { JournalEntry, LiveExchange } from '../../../server/journal/entry.ts'
import { parseBody } from '../../../server/journal/entry-json.ts'
import type { Operation } from '../../../service/contract/contract.ts'

/** The values of a request by their names: `path`, `?period` for the query, `/eventType` for the body. */
type RequestMembers = ReadonlyMap<string, string>

/** A request of a run, with the parts that plans, verdicts and reports need. */
export interface RecordedRequest {
  /** The operation that the request matches, if any. */
  readonly operation: Operation | undefined
  /**
   * The number, from 1, among the operation's requests that a planned fault can hit; 0 for all others, such as those
   * that name a scenario themselves.
   */
  readonly occurrence: number
  /** The operation, the query, and the names and types in the body, but not its values, which differ between runs. */
  readonly call: string
  /** The values that distinguish the request from others with the same `call`. */
  readonly members: RequestMembers
  /** The call and the status of the response. */
  readonly signature: string
  readonly status: number
  /** True for a numbered success that no damage changed, so that a fault can change it. */
  readonly isOrdinary: boolean
  /** True for a status below 400 that the client received with the whole body. */
  readonly isGood: boolean
  /** The body of the response; undefined if it has none. */
  readonly response: Json | undefined
  /** The request as reports show it: `POST /v1/events 503 unavailable`. */
  readonly line: string
  /** The time of receipt by the process's monotonic clock, milliseconds. */
  readonly receivedAt: number
  /** The scenarios that acted. */
  readonly scenarios: readonly string[]
  /** The damage that was done to the response on purpose. */
  readonly damage: readonly string[]
}

export function toRecordedRequest(entry: JournalEntry, live: LiveExchange, occurrence: number): RecordedRequest {
  const { request, response, delivery, scenarios, damage } = entry
  const { operation } = live
  const path = request.path.replace(/^\/_s\/[^/]*/, '')
  const body = live.requestBody ?? parseBody(request.body)
  const call = [
    operation?.id ?? `${request.method} ${path}`,
    ...describeQuery(request.query),
    ...(body === undefined ? [] : [describeShape(body)]),
  ].join(' ')
  const isGood = response.status < 400 && delivery.kind === 'delivered'
  const outcome = delivery.kind === 'delivered' ? response.status : delivery.kind
  return {
    operation,
    occurrence,
    call,
    members: listMembers(path, request.query, body),
    signature: `${call} ${response.status}`,
    status: response.status,
    isOrdinary: isGood && occurrence > 0 && response.origin === 'contract' && damage.length === 0,
    isGood,
    response: live.responseBody,
    line: [request.method, request.path, outcome, ...scenarios].join(' '),
    receivedAt: entry.receivedAt,
    scenarios,
    damage,
  }
}

function describeQuery(query: string): string[] {
  const values = listQuery(query).map(([name, value]) => `${name}=${value}`)
  return values.length === 0 ? [] : [`?${values.sort().join('&')}`]
}

const listQuery = (query: string) =>
  Object.entries(readQuery(query)).map(([name, value]) => [name, [value].flat().join(',')] as const)

/** Describes the names and types of a value, with each kind of list item once: `{eventType:string,tags:[string]}`. */
function describeShape(value: Json): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(describeShape))].sort().join(',')}]`
  if (!isObject(value)) return value === null ? 'null' : typeof value
  const members = Object.entries(value).map(([name, inner]) => `${name}:${describeShape(inner)}`)
  return `{${members.sort().join(',')}}`
}

/**
 * Compares how often two runs without faults sent each request. The order is ignored, since tests may run side by side.
 * @returns a sentence for each difference, at most 10; empty if both runs sent the same requests
 */
export function compareRuns(one: readonly RecordedRequest[], other: readonly RecordedRequest[]): string[] {
  const [first, second] = [one, other].map((run) => groupBy(run, ({ signature }) => signature))
  const count = (run: typeof first, signature: string) => run?.get(signature)?.length ?? 0
  return [...new Set([...one, ...other].map(({ signature }) => signature))]
    .sort()
    .filter((signature) => count(first, signature) !== count(second, signature))
    .slice(0, 10)
    .map(
      (signature) =>
        `${signature}: ${count(first, signature)} in the first run, ${count(second, signature)} in the second`,
    )
}

/** Lists the values of a request. `body` is undefined if it is absent, no JSON, or not stored whole. */
function listMembers(path: string, query: string, body: Json | undefined): RequestMembers {
  const values = listQuery(query).map(([name, value]) => [`?${name}`, value] as const)
  return new Map([['path', path], ...values, ...(body === undefined ? [] : listLeaves(body, ''))])
}

function listLeaves(value: Json, pointer: string): (readonly [string, string])[] {
  const inner = Array.isArray(value) || isObject(value) ? Object.entries(value) : []
  if (inner.length === 0) return [[pointer, JSON.stringify(value)]]
  return inner.flatMap(([name, one]) => listLeaves(one, joinPointer(pointer, name)))
}

/** Finds the members whose values differ between two runs without faults; `nameMember` gives their names. */
export function findVaryingMembers(
  one: readonly RecordedRequest[],
  other: readonly RecordedRequest[],
): ReadonlySet<string> {
  const [first, second] = [collectValues(one), collectValues(other)]
  const names = [...first.keys(), ...second.keys()]
  return new Set(names.filter((name) => first.get(name) !== second.get(name)))
}

/** Returns the name of a member that is unique among all calls. */
export function nameMember(call: string, member: string): string {
  return `${call} ${member}`
}

/** Collects the values of each member as one text, sorted so that the order of the requests does not matter. */
function collectValues(requests: readonly RecordedRequest[]): ReadonlyMap<string, string> {
  const all = requests.flatMap(({ call, members }) =>
    [...members].map(([member, value]) => [nameMember(call, member), value] as const),
  )
  const values = groupBy(all, ([name]) => name)
  return new Map([...values].map(([name, own]) => [name, JSON.stringify(own.map(([, value]) => value).sort())]))
}
