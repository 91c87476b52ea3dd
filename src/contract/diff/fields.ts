import { isObject, type Json } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import { type ChangeLevel, type Direction, judgeEffect } from './change.ts'
import type { FlatSchema } from './flat-schema.ts'
import type { ReportChange, SchemaContext } from './report-change.ts'

/** Compares whether undocumented fields are allowed. Most readers pass over those that they do not know. */
export function compareFurtherFields(
  old: FlatSchema,
  present: FlatSchema,
  report: ReportChange,
  direction: Direction,
): void {
  const before = old.keywords.get('additionalProperties')
  const after = present.keywords.get('additionalProperties')
  const [isClosed, wasClosed] = [after?.value === false, before?.value === false]
  if (isClosed === wasClosed) return
  const at = { old: before?.pointer, new: after?.pointer }
  if (isClosed)
    report({
      kind: 'further-fields-changed',
      effect: 'narrower',
      message: 'has no further fields now',
      ...at,
    })
  else {
    const level: { level?: ChangeLevel } = direction === 'response' ? { level: 'risky' } : {}
    report({
      kind: 'further-fields-changed',
      effect: 'wider',
      ...level,
      message: 'may have further fields',
      ...at,
    })
  }
}

/** A field that both objects have, with the pointers of its schemas. */
export interface CommonField {
  readonly name: string
  readonly old: string
  readonly new: string
}

/** Compares the fields of two objects, without those that do not travel in this direction, and returns those that both have. */
export function compareFields(
  context: SchemaContext,
  old: FlatSchema,
  present: FlatSchema,
  path: string,
): CommonField[] {
  const { direction } = context
  const olds = [...old.fields].filter(([, { value }]) => travels(value, direction))
  const presents = new Map([...present.fields].filter(([, { value }]) => travels(value, direction)))
  const common = olds.flatMap(([name, before]): CommonField[] => {
    const after = presents.get(name)
    const at = joinPointer(path, name)
    if (after) reportRequired(context, old, present, name, at)
    else reportRemoved(context, old, present, name, at)
    return after ? [{ name, old: before.pointer, new: after.pointer }] : []
  })
  for (const name of presents.keys())
    if (!olds.some(([known]) => known === name))
      reportAdded(context, old, present, name, joinPointer(path, name))
  return common
}

/** Returns false for a field that only the other direction has. */
function travels(schema: Json, direction: Direction): boolean {
  return !isObject(schema) || schema[direction === 'request' ? 'readOnly' : 'writeOnly'] !== true
}

const isClosed = ({ keywords }: FlatSchema) => keywords.get('additionalProperties')?.value === false

function reportRemoved(
  { changes, operation, direction, subject }: SchemaContext,
  old: FlatSchema,
  present: FlatSchema,
  name: string,
  at: string,
): void {
  const isRequest = direction === 'request'
  const breaks = isRequest ? isClosed(present) : old.required.has(name)
  const [kind, level] = ['field-removed', breaks ? 'breaking' : 'risky'] as const
  const ends = {
    request: breaks ? 'is no longer allowed' : 'is no longer described, and so may have no effect',
    response: breaks ? 'is no longer sent' : 'is no longer sent, which matters to clients that wait for it',
  }[direction]
  const message = `${subject} ${at} ${ends}`
  changes.add({ kind, level, operation, message, old: old.fields.get(name)?.pointer, new: present.pointer })
}

function reportAdded(
  { changes, operation, direction, subject }: SchemaContext,
  old: FlatSchema,
  present: FlatSchema,
  name: string,
  at: string,
): void {
  const isRequired = present.required.has(name)
  const breaks = direction === 'request' ? isRequired && !old.required.has(name) : isClosed(old)
  const level = breaks ? 'breaking' : 'compatible'
  const message = `${subject} ${at} is new${isRequired ? ' and required' : ''}`
  const pointer = present.fields.get(name)?.pointer
  changes.add({ kind: 'field-added', level, operation, message, old: old.pointer, new: pointer })
}

function reportRequired(
  { changes, operation, direction, subject }: SchemaContext,
  old: FlatSchema,
  present: FlatSchema,
  name: string,
  at: string,
): void {
  const [was, is] = [old.required.get(name), present.required.get(name)]
  if ((was === undefined) === (is === undefined)) return
  const level = judgeEffect(is === undefined ? 'wider' : 'narrower', direction)
  const [kind, message] =
    is === undefined
      ? (['field-optional', `${subject} ${at} can be absent`] as const)
      : ([
          'field-required',
          `${subject} ${at} is ${direction === 'request' ? 'required' : 'always sent'}`,
        ] as const)
  const pointers = { old: was ?? old.fields.get(name)?.pointer, new: is ?? present.fields.get(name)?.pointer }
  changes.add({ kind, level, operation, message, ...pointers })
}
