import type { JsonObject } from '../base/core/json.ts'
import type { ExchangeStream } from './exchanges.ts'

export interface SharedState {
  readonly shown: string
  /** Reads the present record beside the data of a sandbox, if there is one. The record is never changed. */
  readRecord(sandbox: string): Promise<JsonObject | undefined>
  /** Replaces that record; undefined removes it. `update` is called again if another process was faster. */
  updateRecord<T>(
    sandbox: string,
    update: (record: JsonObject | undefined) => { readonly record: JsonObject | undefined; readonly result: T },
  ): Promise<T>
  /** Opens the journal of all replicas, which stores about so many messages. */
  openJournal(size: number): ExchangeStream
  listSandboxes(limit: number): Promise<readonly string[]>
}
