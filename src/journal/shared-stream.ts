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
  /** Exchanges that the process has recorded. */
  | ({ readonly kind: 'entries'; readonly count: number } & ExchangeLines)
  /** Asks all replicas to send what they have recorded, and then an `answer` with the same id. */
  | { readonly kind: 'question'; readonly id: string }
  | { readonly kind: 'answer'; readonly id: string }
  /** Clears a sandbox; null: all. */
  | { readonly kind: 'clear'; readonly sandbox: string | null }
  /** Says that exchanges were lost, of which nobody knows the number. */
  | { readonly kind: 'loss' }

/** Exchanges as lines of JSON (`shared-entry.ts`). */
export interface ExchangeLines {
  /** The bodies of answers, which exchanges refer to by their index. */
  readonly bodies: readonly string[]
  readonly exchanges: readonly string[]
}

/** Encodes a message as text: a line without the exchanges, then a line for each body and exchange, so that a line is parsed only if it is needed. */
export function encodeMessage({ from, number, content }: StreamMessage): string {
  if (content.kind !== 'entries') return JSON.stringify({ from, number, content })
  const { bodies, exchanges, kind, count } = content
  const head = JSON.stringify({ from, number, bodies: bodies.length, content: { kind, count } })
  return [head, ...bodies, ...exchanges].join('\n')
}

/** Decodes a message. The exchanges of a message of `self` are left out, since it has them. */
export function decodeMessage(text: string, self: string): StreamMessage {
  const end = text.indexOf('\n')
  const { bodies, ...message } = JSON.parse(end === -1 ? text : text.slice(0, end)) // written by `encodeMessage`
  if (message.content.kind !== 'entries') return message
  const lines = message.from === self ? [] : text.slice(end + 1).split('\n')
  const content = { ...message.content, bodies: lines.slice(0, bodies), exchanges: lines.slice(bodies) }
  return { ...message, content }
}

/** A bounded stream of messages in one order, which all replicas read. */
export interface SharedStream {
  /** The id of this process. */
  readonly id: string
  /** Appends a message. Rejects if the stream does not answer; the message may be appended all the same. */
  append(message: string): Promise<void>
  /** Calls `onMessage` for each message, first for those that the stream holds. `onCut`: earlier messages were dropped from the stream. */
  follow(onMessage: (message: string) => void, onCut: () => void): Promise<void>
  /**
   * Says that this process is alive, and returns the ids of all processes that are. `lost`: the number of processes that ended without a
   * word since the last call of any process.
   */
  beat(): Promise<{ readonly alive: readonly string[]; readonly lost: number }>
  /** Says that this process has sent all that it has recorded, and ends. */
  close(): Promise<void>
}
