import type { JsonObject } from '../base/core/json.ts'

export interface SharedState {
  readonly shown: string
  /** Reads the current record beside the data of a sandbox, if any. The record is immutable. */
  readRecord(sandbox: string): Promise<JsonObject | undefined>
  /** Replaces that record; undefined removes it. `update` is called again if another process was faster. */
  updateRecord<T>(
    sandbox: string,
    update: (record: JsonObject | undefined) => { readonly record: JsonObject | undefined; readonly result: T },
  ): Promise<T>
  /** Opens the journal of all replicas. `size`: the approximate number of stored messages. */
  openJournal(size: number): ExchangeStream
  listSandboxes(limit: number): Promise<readonly string[]>
}

/** The position of an exchange among those of its sandbox. */
export interface SandboxPlace {
  /** The number of the sandbox's first exchange since it was last cleared. */
  readonly begun: string
  /** The number of its exchanges since then, including this one. */
  readonly count: number
}

/** A message; all replicas read messages in the same order. Positions have no gaps, unless messages were trimmed. */
export type StreamMessage = { readonly position: number } & (
  | {
      readonly kind: 'exchange'
      /** The number of the exchange among those of all sandboxes. */
      readonly number: number
      readonly place: SandboxPlace
      readonly text: string
      /** The bodies: empty for none; undefined if they were trimmed. */
      readonly request: string | undefined
      readonly response: string | undefined
    }
  | { readonly kind: 'end'; readonly text: string }
  /** Clears a sandbox; undefined: all. */
  | { readonly kind: 'clear'; readonly sandbox: string | undefined }
)

export interface StreamBatch {
  /** The id of the stream; empty if there is none. A shared store that has lost a stream starts another. */
  readonly id: string
  /** The position of the latest message of the stream. */
  readonly end: number
  readonly messages: readonly StreamMessage[]
  /** The latest places of all sandboxes that have exchanges, if requested, and if the messages reach the latest. */
  readonly counts: ReadonlyMap<string, SandboxPlace> | undefined
}

/** An appended message: the id of its stream, and the number of the exchange. */
export interface MessagePlace {
  readonly id: string
  readonly number: number
}

/** The exchanges of all replicas in one order. Methods reject if the shared store does not respond. */
export interface ExchangeStream {
  readonly replica: string
  /** Appends an exchange. Returns undefined while the store accepts no changes. */
  append(sandbox: string, entry: string, request: string, response: string): Promise<MessagePlace | undefined>
  /** Appends the end of a delivery that differs from the appended one. Returns undefined as above. */
  appendEnd(text: string): Promise<MessagePlace | undefined>
  /** Counts a lost exchange for each of the sandboxes. Returns false if the store accepts no changes. */
  countLost(sandboxes: readonly string[]): Promise<boolean>
  clear(sandbox: string | undefined): Promise<void>
  read(position: number, withCounts: boolean): Promise<StreamBatch>
}
