import type { Json, JsonObject } from '../json.ts'

/** A business event to be recorded: the caller's fields with the defaults filled in. Shapes: service.md, "Event". */
export interface EventDraft {
  readonly eventType: string
  readonly productId: string
  readonly value: string
  readonly valueType: 'currency' | 'numeric' | 'text' | 'boolean'
  readonly influence: 'positive' | 'negative' | 'neutral'
  /** UTC, `2026-01-15T12:00:00.000Z`. */
  readonly eventAt: string
  readonly qualityImpactScore?: number
  readonly conversationId?: string
  readonly externalConversationId?: string
  readonly externalUserId?: string
  readonly insertId?: string
  readonly properties?: JsonObject
  readonly sampleRate?: number
  readonly forceSample?: boolean
  /** Fields the contract does not list, kept as they came. */
  readonly [unlisted: string]: Json | undefined
}

/** A recorded event. It stands for ever, sampled out or not, so that a retry meets the same fate. */
export interface StoredEvent {
  readonly eventId: string
  readonly fields: EventDraft
  /** -1 to 1: `qualityImpactScore`, else positive 1, negative -1, neutral 0. */
  readonly impact: number
  /** Dropped by sampling: remembered, but counted nowhere. */
  readonly sampledOut: boolean
  /** UTC. */
  readonly receivedAt: string
  /** How often it was sent again with the same `insertId`. */
  readonly replays: number
}

export interface EventReceipt {
  readonly event: StoredEvent
  readonly replayed: boolean
  /** A replay whose payload is not the first one's; the first one stands. */
  readonly payloadDiffers: boolean
}

/** A prompt to be stored: the request body, accepted. Shapes: service.md, "Prompt creation request". */
export interface PromptDraft {
  readonly name: string
  readonly components: readonly PromptComponentDraft[]
  readonly productId?: string
  readonly role?: string
  readonly externalPromptId?: string
  readonly description?: string
  readonly source?: string
  readonly tags?: readonly string[]
  readonly [unlisted: string]: Json | undefined | readonly PromptComponentDraft[] | readonly string[]
}

export interface PromptComponentDraft {
  readonly content: string
  readonly type?: string
  readonly source?: string
  readonly name?: string
  readonly isDynamic?: boolean
  readonly [unlisted: string]: Json | undefined
}

/** One immutable version of a prompt. */
export interface PromptVersion {
  readonly versionId: string
  /** 1, 2, 3, ... within its prompt. */
  readonly version: number
  /** SHA-256, hex, over the canonical JSON of the components. */
  readonly fingerprint: string
  readonly active: boolean
  readonly createdAt: string
  readonly componentIds: readonly string[]
  /** Names found as `{{name}}` in the components, in order of first appearance, once each. */
  readonly variables: readonly string[]
  readonly fields: PromptDraft
}

export interface StoredPrompt {
  readonly promptId: string
  readonly externalPromptId?: string
  readonly productId?: string
  readonly versions: readonly PromptVersion[]
}

export interface PromptReceipt {
  readonly promptId: string
  readonly version: PromptVersion
}

/** Who writes: the sandbox, its seed (identifiers and sampling are derived from both), and the sandbox's time. */
export interface Writer {
  readonly sandbox: string
  readonly seed: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** One unit of a rate window. */
export interface RateTaken {
  readonly allowed: boolean
  readonly limit: number
  /** Units left in the window after this one. */
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly resetMs: number
}

/**
 * What the simulator remembers. Every method is one atomic step, so that an adapter for a shared store can do it in one
 * round trip. A method's promise resolves once its effect is kept, and rejects (with memory unchanged) where it could
 * not be kept.
 */
export interface Store {
  /** Records an event once per `insertId` and sandbox. */
  recordEvent(writer: Writer, draft: EventDraft): Promise<EventReceipt>
  /** Adds a version: to the prompt of the same `externalPromptId` and `productId`, else to a new prompt. */
  addPromptVersion(writer: Writer, draft: PromptDraft): Promise<PromptReceipt>
  /**
   * Takes one unit of the fixed window that `key` is in; opens a window of `windowMs` where none is open at `now`.
   * Windows are not kept across a restart.
   */
  takeRate(writer: Writer, key: string, limit: number, windowMs: number): Promise<RateTaken>
  /** How often this sequence was stepped before in the sandbox: 0, 1, 2, ... Not kept across a restart. */
  stepSequence(sandbox: string, key: string): Promise<number>

  /** Forgets all that the sandbox holds. */
  reset(sandbox: string): Promise<void>
  /** How much is held, over all sandboxes: for the start's one line and for `GET info`. */
  size(): Promise<{ readonly sandboxes: number; readonly events: number; readonly prompts: number }>
  /** Writes out what is pending and lets go of what is held. */
  close(): Promise<void>
}
