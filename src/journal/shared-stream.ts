/** A message of a replica to all, itself included. */
export interface StreamMessage {
  /** The id of the process that sent it. */
  readonly from: string
  /** Its number among the messages of that process, from 1. */
  readonly number: number
  readonly content: MessageContent
}

/** The content of a message. */
export type MessageContent =
  /** Exchanges that the process has recorded, as JSON of `shared-entry.ts`. */
  | { readonly kind: 'entries'; readonly entries: readonly string[] }
  /** Asks all replicas to send what they have recorded, and then an `answer` with the same id. */
  | { readonly kind: 'question'; readonly id: string }
  | { readonly kind: 'answer'; readonly id: string }
  /** Clears a sandbox; null: all. */
  | { readonly kind: 'clear'; readonly sandbox: string | null }
  /** Says that exchanges were lost, of which nobody knows the number. */
  | { readonly kind: 'loss' }

/** A bounded stream of messages in one order, which all replicas read. */
export interface SharedStream {
  /** The id of this process. */
  readonly id: string
  /** Appends a message. Rejects if the stream does not answer; the message may be appended all the same. */
  append(message: StreamMessage): Promise<void>
  /** Calls `onMessage` for each message, first for those that the stream holds. `onCut`: earlier messages were dropped from the stream. */
  follow(onMessage: (message: StreamMessage) => void, onCut: () => void): Promise<void>
  /**
   * Says that this process is alive, and returns the ids of all processes that are. `lost`: the number of processes that ended without a
   * word since the last call of any process.
   */
  beat(): Promise<{ readonly alive: readonly string[]; readonly lost: number }>
  /** Says that this process has sent all that it has recorded, and ends. */
  close(): Promise<void>
}
