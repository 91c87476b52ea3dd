import type { JsonObject } from '../../core/json.ts'
import {
  type ChangeEffect,
  type ChangeKind,
  type ChangeLevel,
  type ChangeList,
  type Direction,
  judgeEffect,
} from './change.ts'
import type { FlatSchema } from './flat-schema.ts'

/** The two documents, and where the comparison is. */
export interface SchemaContext {
  readonly old: JsonObject
  readonly new: JsonObject
  readonly changes: ChangeList
  /** The id of the operation. */
  readonly operation: string
  readonly direction: Direction
  /** The subject of sentences: `the answer 200`. */
  readonly subject: string
}

/** A change of a schema. Its pointers are those of the schemas, unless others are given. */
export interface SchemaChange {
  readonly kind: ChangeKind
  readonly effect: ChangeEffect
  readonly level?: ChangeLevel
  readonly message: string
  readonly old?: string | undefined
  readonly new?: string | undefined
}

/** Adds a change of a schema to the changes. */
export type ReportChange = (change: SchemaChange) => void

/** Creates the function that reports the changes of two schemas. `path`: the place of their values. */
export function createReport(
  { changes, operation, direction, subject }: SchemaContext,
  path: string,
  old: FlatSchema,
  present: FlatSchema,
): ReportChange {
  return ({ kind, effect, level = judgeEffect(effect, direction), message, ...at }) =>
    changes.add({
      kind,
      level,
      operation,
      message: `${subject}${path && ` ${path}`} ${message}`,
      old: at.old ?? old.pointer,
      new: at.new ?? present.pointer,
    })
}
