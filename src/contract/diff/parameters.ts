import { isObject, type JsonObject } from '../../core/json.ts'
import { joinPointer, valueAt } from '../../core/json-pointer.ts'
import { type ResolvedObject, resolve } from '../resolve.ts'
import type { ChangeKind, ChangeLevel } from './change.ts'
import type { OperationPair } from './operation-pair.ts'
import { compareSchemas } from './schemas.ts'

/** A parameter with its name in sentences: `the query parameter period`. */
interface FoundParameter extends ResolvedObject {
  readonly subject: string
}

/** Compares the parameters of an operation, those of its path item included. */
export function compareParameters(pair: OperationPair): void {
  const { changes, before, after } = pair
  const olds = listParameters(pair.old, before.item, before.pointer, before.name)
  const presents = listParameters(pair.new, after.item, after.pointer, after.name)
  const operation = after.id
  for (const [key, old] of olds) {
    const present = presents.get(key)
    if (present) compareParameter(pair, old, present)
    else {
      const message = `${old.subject} is no longer described, and so may have no effect`
      changes.add({
        kind: 'parameter-removed',
        level: 'risky',
        operation,
        message,
        old: old.pointer,
        new: after.pointer,
      })
    }
  }
  for (const [key, { subject, pointer, value }] of presents) {
    if (olds.has(key)) continue
    const isRequired = value.required === true
    const level = isRequired ? 'breaking' : 'compatible'
    const message = `${subject} is new${isRequired ? ' and required' : ''}`
    changes.add({ kind: 'parameter-added', level, operation, message, old: before.pointer, new: pointer })
  }
}

function compareParameter(pair: OperationPair, old: FoundParameter, present: FoundParameter): void {
  const { subject } = present
  const operation = pair.after.id
  const add = (kind: ChangeKind, level: ChangeLevel, member: string, message: string) =>
    pair.changes.add({
      kind,
      level,
      operation,
      message: `${subject} ${message}`,
      old: joinPointer(old.pointer, member),
      new: joinPointer(present.pointer, member),
    })
  const [was, is] = [old.value.required === true, present.value.required === true]
  if (is && !was) add('parameter-required', 'breaking', 'required', 'is required')
  if (was && !is) add('parameter-optional', 'compatible', 'required', 'can be absent')
  for (const member of ['style', 'explode', 'allowReserved'])
    if (old.value[member] !== present.value[member])
      add('parameter-style-changed', 'breaking', member, `has another "${member}"`)
  const [oldSchema, schema] = [schemaOf(old), schemaOf(present)]
  const context = { ...pair, operation, direction: 'request', subject } as const
  compareSchemas(context, oldSchema, schema)
}

/** Returns the pointer of a parameter's schema; of the schema of its media type, if it has one. */
function schemaOf({ pointer, value }: FoundParameter): string {
  const [mediaType] = isObject(value.content) ? Object.keys(value.content) : []
  return mediaType === undefined
    ? joinPointer(pointer, 'schema')
    : joinPointer(pointer, 'content', mediaType, 'schema')
}

/** Returns the parameters by location and name; those in the path by their position, since a client never sees their names. */
function listParameters(
  document: JsonObject,
  item: string,
  operation: string,
  name: string,
): ReadonlyMap<string, FoundParameter> {
  const inPath = [...name.matchAll(/\{([^{}]*)\}/g)].map(([, parameter]) => parameter)
  const parameters = [item, operation].flatMap((owner) => {
    const list = valueAt(document, joinPointer(owner, 'parameters'))
    const indexes = Array.isArray(list) ? [...list.keys()] : []
    return indexes.flatMap((index) => resolve(document, joinPointer(owner, 'parameters', index)) ?? [])
  })
  return new Map(
    parameters.map((parameter) => {
      const { in: location, name: own } = parameter.value
      const sent = location === 'header' ? String(own).toLowerCase() : String(own)
      const key = location === 'path' ? inPath.indexOf(sent) : sent
      return [`${location} ${key}`, { ...parameter, subject: `the ${location} parameter ${own}` }]
    }),
  )
}
