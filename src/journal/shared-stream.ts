/** A message of a replica to all, itself included. */
export interface StreamMessage {
  /** The id of the process that sent it. */
  readonly from: string
  /** Its number among the messages of that process, from 1; 0 for one that is not sent again. */
  readonly number: number
  readonly content: MessageContent
}

/** The content of a message. */
export type MessageContent =
  /** Exchanges that the process has recorded. */
  | ({ readonly kind: 'entries'; readonly count: number } & ExchangeLines)
  /** Clears a sandbox; null: all. */
  | { readonly kind: 'clear'; readonly sandbox: string | null }
  /** Says that exchanges of these sandboxes were lost, of which nobody knows the number. Undefined: nobody knows the sandboxes either. */
  | { readonly kind: 'loss'; readonly sandboxes?: readonly string[] | undefined }
  /** Says that a sandbox has no exchange before. It is sent once for all processes, before the first exchange, and has no number (0). */
  | { readonly kind: 'begin'; readonly sandbox: string }

/** Exchanges as lines of JSON (`shared-entry.ts`). */
export interface ExchangeLines {
  /** The bodies of answers, which exchanges refer to by their index. */
  readonly bodies: readonly string[]
  readonly exchanges: readonly string[]
}

/** A signal that all replicas get at once, and that is not stored. */
export interface Signal {
  /** `question`: all replicas shall say `sending` with the same id, send what they have recorded, and then `answer`, or `failed`. */
  readonly kind: 'question' | 'sending' | 'answer' | 'failed'
  readonly id: string
  /** The id of the process that sent it. */
  readonly from: string
}

/** Encodes a message as text: a line without the exchanges, then a line for each body and exchange. */
export function encodeMessage({ from, number, content }: StreamMessage): string {
  if (content.kind !== 'entries') return JSON.stringify({ from, number, content })
  const { bodies, exchanges, kind, count } = content
  const head = JSON.stringify({ from, number, bodies: bodies.length, content: { kind, count } })
  return [head, ...bodies, ...exchanges].join('\n')
}

/** Decodes a message, of which the exchanges stay lines. */
export function decodeMessage(text: string): StreamMessage {
  const end = text.indexOf('\n')
  const { bodies, ...message } = JSON.parse(end === -1 ? text : text.slice(0, end)) // written by `encodeMessage`
  if (message.content.kind !== 'entries') return message
  const lines = text.slice(end + 1).split('\n')
  const content = { ...message.content, bodies: lines.slice(0, bodies), exchanges: lines.slice(bodies) }
  return { ...message, content }
}

/** A bounded stream of messages in one order, which all replicas read when they need it, and signals between them. */
export interface SharedStream {
  /** The id of this process. */
  readonly id: string
  /** Appends a message that counts as `weight` exchanges. Rejects if the stream does not answer; the message may be appended all the same. */
  append(message: string, weight: number): Promise<void>
  /** Appends a message, unless one of this name was appended, which is known as long as a process runs that called this, and for a week. This process counts as alive. */
  appendOnce(name: string, message: string, weight: number): Promise<void>
  /** Reads the next messages behind those that were read before. Undefined: there are none. `isCut`: some before them were dropped. */
  read(): Promise<{ readonly texts: readonly string[]; readonly isCut: boolean } | undefined>
  sendSignal(signal: Signal): Promise<void>
  /** Calls the listener for each signal from now on, also for those of this process. */
  onSignal(listener: (signal: Signal) => void): Promise<void>
  /**
   * Says that this process is alive, and returns the ids of all processes that are. If any ended without a word since the last call of any
   * process, or the stream was lost, a message is appended that says so.
   */
  beat(lossMessage: string): Promise<readonly string[]>
  /** Says that this process has sent all that it has recorded, so its end is no loss. */
  leave(): Promise<void>
  close(): void
}
