import { isObject, type JsonObject } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import { resolve } from '../resolve.ts'
import { compareContent } from './content.ts'
import { compareHeaders } from './headers.ts'
import type { OperationPair } from './operation-pair.ts'

/** Compares the responses of an operation, by status. A range (`2XX`) stands for its members that are not there by themselves. */
export function compareResponses(pair: OperationPair): void {
  const [olds, presents] = [listStatuses(pair.before.value), listStatuses(pair.after.value)]
  for (const status of new Set([...olds, ...presents])) {
    const [old, present] = [findResponse(olds, status), findResponse(presents, status)]
    if (old !== undefined && present !== undefined) compareResponse(pair, status, old, present)
    else if (old !== undefined) reportRemoved(pair, status, membersOf(presents, status))
  }
  for (const status of presents) if (!olds.includes(status)) reportAdded(pair, status, olds)
}

/** Returns the key of the response that describes a status: its own, or that of its range. */
function findResponse(keys: readonly string[], status: string): string | undefined {
  return keys.find((key) => key === status) ?? keys.find((key) => membersOf([status], key).length > 0)
}

/** Returns the statuses that a range has; none for a key that is no range. */
function membersOf(statuses: readonly string[], range: string): string[] {
  return /^\dXX$/i.test(range)
    ? statuses.filter((status) => /^\d{3}$/.test(status) && status[0] === range[0])
    : []
}

function listStatuses({ responses }: JsonObject): string[] {
  return isObject(responses) ? Object.keys(responses).filter((status) => !status.startsWith('x-')) : []
}

const responsesIn = (pointer: string, ...status: string[]) => joinPointer(pointer, 'responses', ...status)

/**
 * Reports a status that is gone. A refusal that never comes hurts nobody; a success that never comes is replaced by another one.
 * `members`: the statuses that are left of a range.
 */
function reportRemoved(
  { before, after, changes }: OperationPair,
  status: string,
  members: readonly string[],
): void {
  const isHarmless = /^[45]/.test(status) || members.length > 0
  changes.add({
    kind: 'status-removed',
    level: isHarmless ? 'compatible' : 'breaking',
    operation: after.id,
    message: `the answer ${status} is ${members.length > 0 ? `${members.join(', ')} alone` : 'gone'}`,
    old: responsesIn(before.pointer, status),
    new: responsesIn(after.pointer),
  })
}

/** Reports a new status. Clients know that any request can be refused, but often only one status of success. */
function reportAdded(
  { before, after, changes }: OperationPair,
  status: string,
  olds: readonly string[],
): void {
  const isKnown = olds.some((known) => known === 'default' || known.toUpperCase() === `${status[0]}XX`)
  const isRisky = /^[123]/.test(status) && !isKnown
  changes.add({
    kind: 'status-added',
    level: isRisky ? 'risky' : 'compatible',
    operation: after.id,
    message: `the answer ${status} is new${isRisky ? ', which breaks clients that know one status of success' : ''}`,
    old: responsesIn(before.pointer),
    new: responsesIn(after.pointer, status),
  })
}

/** Compares the responses for a status. `oldKey` and `key`: their keys, which can be those of a range. */
function compareResponse(pair: OperationPair, status: string, oldKey: string, key: string): void {
  const old = resolve(pair.old, responsesIn(pair.before.pointer, oldKey))
  const present = resolve(pair.new, responsesIn(pair.after.pointer, key))
  if (!old || !present) return
  const subject = `the answer ${status}`
  compareContent(pair, old, present, 'response', subject)
  compareHeaders(pair, old, present, subject)
}
