import type { JsonObject } from '../../core/json.ts'
import type { Change } from '../memory/state-data.ts'

/** A change of the record beside the data of a sandbox. Null: the record is removed. */
interface SharedRecordChange {
  readonly sandbox: string
  readonly op: 'shared'
  readonly record: JsonObject | null
}

/** An entry of the log of a sandbox. */
export type LogEntry = Change | SharedRecordChange
