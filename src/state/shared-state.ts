import type { JsonObject } from '../base/core/json.ts'

export interface SharedState {
  readonly displayUrl: string
  /** Reads the record stored with a sandbox in addition to its data, a frozen object; undefined if there is none. */
  readRecord(sandbox: string): Promise<JsonObject | undefined>
  /** Replaces or removes (undefined) the record. Calls `update` again if another process replaces it meanwhile. */
  updateRecord<T>(
    sandbox: string,
    update: (record: JsonObject | undefined) => { readonly record: JsonObject | undefined; readonly result: T },
  ): Promise<T>
  /** Opens the journal of all replicas. `size`: the approximate number of stored messages. */
  openJournal(size: number): ExchangeStream
  listSandboxes(limit: number): Promise<readonly string[]>
}

/** The position of an exchange within its sandbox. */
export interface SandboxPlace {
  /** Identifies the first exchange since the sandbox was last cleared. */
  readonly begun: string
  /** How many exchanges the sandbox has had since then, including this one. */
  readonly count: number
}

/** A message. All replicas read messages in the same order. A gap in the positions means that messages are missing. */
export type StreamMessage = { readonly position: number } & (
  | {
      readonly kind: 'exchange'
      /** The number of the exchange among the exchanges of all sandboxes. */
      readonly number: number
      readonly place: SandboxPlace
      readonly text: string
      /** The bodies. A body is an empty string if there was none, and undefined if the store trimmed it. */
      readonly request: string | undefined
      readonly response: string | undefined
    }
  | { readonly kind: 'end'; readonly text: string }
  /** Clears a sandbox, or all sandboxes if `sandbox` is undefined. */
  | { readonly kind: 'clear'; readonly sandbox: string | undefined }
)

export interface StreamBatch {
  /** The id of the stream; empty if there is none. A store that has lost its stream starts a new one. */
  readonly id: string
  /** The position of the latest message in the stream. */
  readonly end: number
  readonly messages: readonly StreamMessage[]
  /** The latest place in each sandbox, if they were requested and `messages` ends with the latest message. */
  readonly counts: ReadonlyMap<string, SandboxPlace> | undefined
}

/** An appended message: the id of its stream, and the number of the exchange. */
export interface MessagePlace {
  readonly id: string
  readonly number: number
}

/** The exchanges of all replicas, in a single order. Methods reject if the shared store does not respond. */
export interface ExchangeStream {
  readonly replica: string
  /** Appends an exchange. Returns undefined while the store refuses changes. */
  append(sandbox: string, entry: string, request: string, response: string): Promise<MessagePlace | undefined>
  /** Appends a delivery's corrected outcome. Returns undefined while the store refuses changes. */
  appendEnd(text: string): Promise<MessagePlace | undefined>
  /** Counts one lost exchange for each element of `sandboxes`. Returns false if the store refuses changes. */
  countLost(sandboxes: readonly string[]): Promise<boolean>
  clear(sandbox: string | undefined): Promise<void>
  read(position: number, withCounts: boolean): Promise<StreamBatch>
}
