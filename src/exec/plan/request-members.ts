import { isObject, type Json } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import { readQuery } from '../../core/query-string.ts'

/** The values of a request, by name: `path`, `?period` of the query, and `/eventType` of the body. */
export type RequestMembers = ReadonlyMap<string, string>

/** Lists the values of a request. `body`: undefined for one that is no JSON, or is not stored whole. */
export function listMembers(path: string, query: string, body: Json | undefined): RequestMembers {
  const values = Object.entries(readQuery(query)).map(
    ([name, value]) => [`?${name}`, [value].flat().join(',')] as const,
  )
  return new Map([['path', path], ...values, ...(body === undefined ? [] : listLeaves(body, ''))])
}

function listLeaves(value: Json, pointer: string): (readonly [string, string])[] {
  const inner = Array.isArray(value) || isObject(value) ? Object.entries(value) : []
  if (inner.length === 0) return [[pointer, JSON.stringify(value)]]
  return inner.flatMap(([name, one]) => listLeaves(one, joinPointer(pointer, name)))
}

/** The parts of a request that tell its call. */
export interface ComparedRequest {
  readonly call: string
  readonly members: RequestMembers
}

/**
 * Finds the members whose values differ between two runs without faults, such as random ids and times, in the form of
 * `nameMember`.
 */
export function findVaryingMembers(
  one: readonly ComparedRequest[],
  other: readonly ComparedRequest[],
): ReadonlySet<string> {
  const [first, second] = [collectValues(one), collectValues(other)]
  const names = [...new Set([...first.keys(), ...second.keys()])]
  return new Set(names.filter((name) => first.get(name)?.join('\n') !== second.get(name)?.join('\n')))
}

/** Names a member of a call. */
export function nameMember(call: string, member: string): string {
  return `${call} ${member}`
}

/** Collects the sorted values of each member, whatever the order of the requests. */
function collectValues(requests: readonly ComparedRequest[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  for (const { call, members } of requests)
    for (const [member, value] of members) {
      const name = nameMember(call, member)
      const own = values.get(name)
      if (own) own.push(value)
      else values.set(name, [value])
    }
  for (const own of values.values()) own.sort()
  return values
}
