import type { JsonObject } from '../base/core/json.ts'

export interface SharedState {
  readonly displayUrl: string
  /** Returns the stored settings of a sandbox, if any. They must not be modified. */
  readSettings(sandbox: string): Promise<JsonObject | undefined>
  /**
   * Stores the settings that `update` returns, or deletes the stored settings if it returns none. Calls `update` again
   * after a conflict.
   */
  updateSettings<T>(
    sandbox: string,
    update: (settings: JsonObject | undefined) => { readonly settings: JsonObject | undefined; readonly result: T },
  ): Promise<T>
  /** Opens the journal that all replicas share. `size`: the approximate maximum number of stored messages. */
  openJournal(size: number): ExchangeStream
  listNewestSandboxes(limit: number): Promise<readonly string[]>
}

/** The position of an exchange within its sandbox. */
export interface SandboxPosition {
  /** Identifies the first exchange since the sandbox was last cleared. */
  readonly firstId: string
  /** How many exchanges the sandbox has had from `firstId` to this one, inclusive. */
  readonly count: number
}

/** A journal message. All replicas read messages in the same order. Gaps in the positions indicate missing messages. */
export type StreamMessage = { readonly position: number } & (
  | {
      readonly kind: 'exchange'
      /** The number of the exchange among the exchanges of all sandboxes. */
      readonly number: number
      readonly sandboxPosition: SandboxPosition
      readonly text: string
      /** The bodies: an empty string if there was no body, and undefined if the store has discarded the body. */
      readonly request: string | undefined
      readonly response: string | undefined
    }
  | { readonly kind: 'end'; readonly text: string }
  /** Clears the journal of a sandbox, or of all sandboxes if `sandbox` is undefined. */
  | { readonly kind: 'clear'; readonly sandbox: string | undefined }
)

export interface StreamBatch {
  /** The ID of the stream; empty if there is no stream. A store that has lost its stream starts a new one. */
  readonly id: string
  /** The position of the latest message in the stream. */
  readonly end: number
  readonly messages: readonly StreamMessage[]
  /** The latest position in each sandbox, if `withCounts` was true and no more messages follow. */
  readonly counts: ReadonlyMap<string, SandboxPosition> | undefined
}

/** An appended message: the ID of its stream, and the number of the exchange (0 for other messages). */
export interface MessagePosition {
  readonly id: string
  readonly number: number
}

/** The exchanges of all replicas, in a single order. Methods reject if the shared store does not respond. */
export interface ExchangeStream {
  readonly replica: string
  /** Appends an exchange. Returns undefined while the store refuses changes. */
  append(sandbox: string, entry: string, request: string, response: string): Promise<MessagePosition | undefined>
  /** Appends a delivery's corrected outcome. Returns undefined while the store refuses changes. */
  appendEnd(text: string): Promise<MessagePosition | undefined>
  /** Counts one lost exchange for each element of `sandboxes`. Returns false if the store refuses changes. */
  countLost(sandboxes: readonly string[]): Promise<boolean>
  clear(sandbox: string | undefined): Promise<void>
  read(position: number, withCounts: boolean): Promise<StreamBatch>
}
