import { isObject, type JsonObject } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import { resolve } from '../resolve.ts'
import { compareContent } from './content.ts'
import { compareHeaders } from './headers.ts'
import type { OperationPair } from './operation-pair.ts'

/** Compares the responses of an operation, by status. */
export function compareResponses(pair: OperationPair): void {
  const [olds, presents] = [listStatuses(pair.before.value), listStatuses(pair.after.value)]
  for (const status of olds) {
    if (presents.includes(status)) compareResponse(pair, status)
    else reportRemoved(pair, status)
  }
  for (const status of presents) if (!olds.includes(status)) reportAdded(pair, status, olds)
}

function listStatuses({ responses }: JsonObject): string[] {
  return isObject(responses) ? Object.keys(responses).filter((status) => !status.startsWith('x-')) : []
}

const responsesIn = (pointer: string, ...status: string[]) => joinPointer(pointer, 'responses', ...status)

/** Reports a status that is gone. A refusal that never comes hurts nobody; a success that never comes is replaced by another one. */
function reportRemoved({ before, after, changes }: OperationPair, status: string): void {
  changes.add({
    kind: 'status-removed',
    level: /^[45]/.test(status) ? 'compatible' : 'breaking',
    operation: after.id,
    message: `the answer ${status} is gone`,
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

function compareResponse(pair: OperationPair, status: string): void {
  const old = resolve(pair.old, responsesIn(pair.before.pointer, status))
  const present = resolve(pair.new, responsesIn(pair.after.pointer, status))
  if (!old || !present) return
  const subject = `the answer ${status}`
  compareContent(pair, old, present, 'response', subject)
  compareHeaders(pair, old, present, subject)
}
