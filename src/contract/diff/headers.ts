import { isObject, type JsonObject } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import { type ResolvedObject, resolve } from '../resolve.ts'
import type { OperationPair } from './operation-pair.ts'
import { compareSchemas } from './schemas.ts'

/** Compares the headers of an answer, whose subject is `the answer 200`. */
export function compareHeaders(
  pair: OperationPair,
  old: ResolvedObject,
  present: ResolvedObject,
  subject: string,
): void {
  const [olds, presents] = [listHeaders(pair.old, old), listHeaders(pair.new, present)]
  const common = { operation: pair.after.id, old: old.pointer, new: present.pointer }
  for (const [name, before] of olds) {
    const after = presents.get(name)
    const header = `${subject} header ${name}`
    if (after) compareHeader(pair, before, after, header)
    else {
      const level = isRequired(before) ? 'breaking' : 'risky'
      const message = `${header} is no longer sent`
      pair.changes.add({ ...common, kind: 'header-removed', level, message, old: before.pointer })
    }
  }
  for (const [name, { pointer }] of presents) {
    if (olds.has(name)) continue
    const message = `${subject} header ${name} is new`
    pair.changes.add({ ...common, kind: 'header-added', level: 'compatible', message, new: pointer })
  }
}

function compareHeader(
  pair: OperationPair,
  old: ResolvedObject,
  present: ResolvedObject,
  subject: string,
): void {
  const operation = pair.after.id
  if (isRequired(old) !== isRequired(present))
    pair.changes.add({
      ...(isRequired(present)
        ? { kind: 'header-required', level: 'compatible', message: `${subject} is always sent` }
        : { kind: 'header-optional', level: 'breaking', message: `${subject} can be absent` }),
      operation,
      old: old.pointer,
      new: present.pointer,
    })
  const context = { ...pair, operation, direction: 'response', subject } as const
  compareSchemas(context, joinPointer(old.pointer, 'schema'), joinPointer(present.pointer, 'schema'))
}

const isRequired = ({ value }: ResolvedObject) => value.required === true

/** Returns the headers of an answer by their names in lower case. */
function listHeaders(
  document: JsonObject,
  { pointer, value: { headers } }: ResolvedObject,
): ReadonlyMap<string, ResolvedObject> {
  const found = new Map<string, ResolvedObject>()
  for (const name of isObject(headers) ? Object.keys(headers) : []) {
    const header = resolve(document, joinPointer(pointer, 'headers', name))
    if (header) found.set(name.toLowerCase(), header)
  }
  return found
}
