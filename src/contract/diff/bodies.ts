import { joinPointer } from '../../core/json-pointer.ts'
import { resolve } from '../resolve.ts'
import type { ChangeKind, ChangeLevel } from './change.ts'
import { compareContent } from './content.ts'
import type { OperationPair } from './operation-pair.ts'

/** A request body in the two documents: absent, optional or required. */
type BodyState = 'none' | 'optional' | 'required'

/** The change of a request body from a state to another. */
const changesOfState: Readonly<Record<string, readonly [ChangeKind, ChangeLevel, string]>> = {
  'none to optional': ['body-added', 'compatible', 'is new'],
  'none to required': ['body-added', 'breaking', 'is new and required'],
  'optional to required': ['body-required', 'breaking', 'is required'],
  'required to optional': ['body-optional', 'compatible', 'can be absent'],
  'optional to none': ['body-removed', 'risky', 'is no longer described, and so may have no effect'],
  'required to none': ['body-removed', 'risky', 'is no longer described, and so may have no effect'],
}

/** Compares the request bodies of an operation. */
export function compareBodies(pair: OperationPair): void {
  const { changes, before, after } = pair
  const old = resolve(pair.old, joinPointer(before.pointer, 'requestBody'))
  const present = resolve(pair.new, joinPointer(after.pointer, 'requestBody'))
  const [kind, level, message] = changesOfState[`${stateOf(old)} to ${stateOf(present)}`] ?? []
  if (kind && level)
    changes.add({
      kind,
      level,
      operation: after.id,
      message: `the request body ${message}`,
      old: old?.pointer ?? before.pointer,
      new: present?.pointer ?? after.pointer,
    })
  if (old && present) compareContent(pair, old, present, 'request', 'the request body')
}

function stateOf(body: ReturnType<typeof resolve>): BodyState {
  if (!body) return 'none'
  return body.value.required === true ? 'required' : 'optional'
}
