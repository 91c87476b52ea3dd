import { isObject, type JsonObject } from '../../core/json.ts'
import { joinPointer, valueAt } from '../../core/json-pointer.ts'
import { resolve } from '../resolve.ts'
import { METHODS } from '../walk.ts'
import { compareBodies } from './bodies.ts'
import type { ChangeKind, ChangeLevel, ChangeList } from './change.ts'
import type { FoundOperation, OperationPair } from './operation-pair.ts'
import { compareParameters } from './parameters.ts'
import { compareResponses } from './responses.ts'
import { compareSecurity } from './security.ts'

/** Compares the operations of two documents. They are the same if method and path are, whatever the names of path parameters. */
export function compareOperations(old: JsonObject, present: JsonObject, changes: ChangeList): void {
  const olds = listOperations(old)
  const presents = listOperations(present)
  for (const [key, before] of olds) {
    const after = presents.get(key)
    if (after) compareOperation({ old, new: present, before, after, changes })
    else {
      const { id: operation, name, pointer } = before
      const message = `${name} is gone`
      changes.add({
        kind: 'operation-removed',
        level: 'breaking',
        operation,
        message,
        old: pointer,
        new: undefined,
      })
    }
  }
  for (const [key, { id: operation, name, pointer }] of presents) {
    if (olds.has(key)) continue
    const message = `${name} is new`
    changes.add({
      kind: 'operation-added',
      level: 'compatible',
      operation,
      message,
      old: undefined,
      new: pointer,
    })
  }
}

function compareOperation(pair: OperationPair): void {
  const { before, after, changes } = pair
  const add = (kind: ChangeKind, level: ChangeLevel, member: string, message: string) =>
    changes.add({
      kind,
      level,
      operation: after.id,
      message,
      old: joinPointer(before.pointer, member),
      new: joinPointer(after.pointer, member),
    })
  if (before.id !== after.id)
    add(
      'operation-renamed',
      'risky',
      'operationId',
      `${after.name} is called ${after.id} (before: ${before.id}), as are the functions of generated clients`,
    )
  if (after.value.deprecated === true && before.value.deprecated !== true)
    add('operation-deprecated', 'compatible', 'deprecated', `${after.name} is deprecated`)
  compareSecurity(pair)
  compareParameters(pair)
  compareBodies(pair)
  compareResponses(pair)
}

function listOperations(document: JsonObject): ReadonlyMap<string, FoundOperation> {
  const found = new Map<string, FoundOperation>()
  const paths = valueAt(document, '/paths')
  for (const path of isObject(paths) ? Object.keys(paths) : []) {
    const item = resolve(document, joinPointer('/paths', path))
    for (const method of METHODS) {
      const value = item?.value[method]
      if (!item || !isObject(value) || !path.startsWith('/')) continue
      const name = `${method.toUpperCase()} ${path}`
      const id = typeof value.operationId === 'string' ? value.operationId : name
      const pointer = joinPointer(item.pointer, method)
      found.set(name.replace(/\{[^{}]*\}/g, '{}'), { name, id, item: item.pointer, pointer, value })
    }
  }
  return found
}
