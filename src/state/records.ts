import type { Json, JsonObject } from '../core/json.ts'

/** A business event to be recorded: the caller's fields with the defaults filled in. Shapes: service.md, "Event". */
export interface EventDraft {
  readonly eventType: string
  readonly productId: string
  readonly value: string
  readonly valueType: 'currency' | 'numeric' | 'text' | 'boolean'
  readonly influence: 'positive' | 'negative' | 'neutral'
  /**
   * UTC, `2026-01-15T12:00:00.000Z`. Leave it out where the caller did: the store fills in the time of receipt and
   * knows then that a later retry without it is no other payload.
   */
  readonly eventAt?: string
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
  readonly fields: EventDraft & { readonly eventAt: string }
  /** -1 to 1: `qualityImpactScore`, else positive 1, negative -1, neutral 0. */
  readonly impact: number
  /** Dropped by sampling: remembered, but counted nowhere. */
  readonly sampledOut: boolean
  /** UTC. */
  readonly receivedAt: string
  /** How often it was sent again with the same `insertId`. */
  readonly replays: number
  /** `eventAt` is the time of receipt, since the caller sent none. Absent: the caller sent it. */
  readonly eventAtDefaulted?: true
  /** Without an `insertId`: the id of the first event of the sandbox with exactly this payload. Absent: it is the first. */
  readonly repeatOf?: string
}

/** A prompt to be stored: the request body, accepted. Shapes: service.md, "Prompt creation request". */
export interface PromptDraft {
  readonly name?: string
  readonly components?: readonly PromptComponentDraft[]
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
  /** Without an `externalPromptId`: the id of the first prompt of the sandbox with exactly this request. */
  readonly repeatOf?: string
  readonly versions: readonly PromptVersion[]
}

/** What the service calls quality settings, as far as events are concerned. */
export interface QualitySettings {
  /** 0 to 1: how much of an event's impact reaches the scores. */
  readonly weight: number
}

export const DEFAULT_QUALITY: QualitySettings = Object.freeze({ weight: 0.1 })

/** A copy of a sandbox at one moment, to go back to. */
export interface Snapshot {
  readonly snapshotId: string
  readonly name?: string
  /** UTC, by the sandbox's clock. */
  readonly createdAt: string
  readonly events: number
  readonly prompts: number
}

/** One sandbox as JSON, to be carried elsewhere. Its identifiers stay what they are. */
export interface SandboxExport {
  readonly format: typeof EXPORT_FORMAT
  readonly quality: QualitySettings
  readonly events: readonly StoredEvent[]
  readonly prompts: readonly StoredPrompt[]
}

export const EXPORT_FORMAT = 1
