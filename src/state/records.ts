import type { Json } from '../base/core/json.ts'
import { deriveUuid } from '../base/core/seeded.ts'

export interface EventDraft {
  readonly eventType: string
  readonly productId: string
  readonly value: string
  readonly valueType: 'currency' | 'numeric' | 'text' | 'boolean'
  readonly influence: 'positive' | 'negative' | 'neutral'
  /** The time in UTC, such as `2026-01-15T12:00:00.000Z`. If absent, the time of receipt is used. */
  readonly eventAt?: string
  readonly qualityImpactScore?: number
  readonly conversationId?: string
  readonly externalConversationId?: string
  readonly insertId?: string
  readonly sampleRate?: number
  readonly forceSample?: boolean
  /** All other fields are stored unchanged. */
  readonly [other: string]: Json | undefined
}

/** A recorded event. Events dropped by sampling are also stored, so that their retries are dropped too. */
export interface StoredEvent {
  readonly eventId: string
  readonly fields: EventDraft & { readonly eventAt: string }
  /** The `qualityImpactScore`; if absent, 1, -1 or 0 for a positive, negative or neutral influence. */
  readonly impact: number
  /** True if sampling dropped the event. Sums exclude dropped events. */
  readonly sampledOut: boolean
  /** The time of receipt, in UTC. */
  readonly receivedAt: string
  readonly replays: number
  /** True if the caller sent no `eventAt`, so the stored `eventAt` is the time of receipt; otherwise absent. */
  readonly eventAtDefaulted?: true
  /** The ID of the sandbox's first event with this payload; absent in that event, and in events with an `insertId`. */
  readonly repeatOf?: string
}

/** A prompt to store: the body of a valid request. The store interprets only the fields named here. */
export interface PromptDraft {
  readonly components?: readonly PromptComponentDraft[]
  readonly productId?: string
  readonly externalPromptId?: string
  readonly [other: string]: Json | undefined | readonly PromptComponentDraft[]
}

export interface PromptComponentDraft {
  readonly content: string
  readonly [other: string]: Json | undefined
}

export interface PromptVersion {
  readonly versionId: string
  /** The version's number within its prompt: 1, 2, 3, ... */
  readonly version: number
  /** The SHA-256 of the components' canonical JSON, in hex. */
  readonly fingerprint: string
  readonly active: boolean
  readonly createdAt: string
  readonly componentIds: readonly string[]
  /** The distinct names of the `{{name}}` placeholders, in order of first appearance. */
  readonly variables: readonly string[]
  readonly fields: PromptDraft
}

export interface StoredPrompt {
  readonly promptId: string
  readonly externalPromptId?: string
  readonly productId?: string
  /** The ID of the first prompt from an identical request; absent in that prompt and in prompts with an external ID. */
  readonly repeatOf?: string
  /** The versions, oldest first; never empty. */
  readonly versions: readonly PromptVersion[]
}

/** The service's quality settings that apply to events. */
export interface QualitySettings {
  /** The fraction (0 to 1) of an event's impact that counts toward quality scores. */
  readonly weight: number
}

/** The quality settings of a sandbox until they are changed. */
export const DEFAULT_QUALITY: QualitySettings = Object.freeze({ weight: 0.1 })

export interface SnapshotHead {
  readonly snapshotId: string
  readonly name?: string
  /** The time of creation in UTC, from the sandbox's clock. */
  readonly createdAt: string
}

/** The sandbox to write to, with its seed and time. IDs and sampling depend on the sandbox's name and seed. */
export interface WriteContext {
  readonly sandbox: string
  readonly seed: string
  /** The time in epoch milliseconds, from the sandbox's clock. */
  readonly now: number
}

export interface ImpactQuery {
  readonly productIds: readonly string[]
  /** The first day, such as `2026-01-15`. */
  readonly from: string
  /** The last day (inclusive), such as `2026-01-15`. */
  readonly to: string
}

/** The impact of a day's events, excluding events that sampling dropped. */
export interface DayImpact {
  /** The sum of the events' impacts, each rounded to nine decimal places. The order of the events does not matter. */
  readonly impact: number
  readonly events: number
}

export const EXPORT_FORMAT = 1

/** Returns a deep copy as JSON would represent it, without undefined members or -0, so that all stores agree. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return (value === 0 ? 0 : value) as T
  if (Array.isArray(value)) return value.map(cloneJson) as T
  // Assigning only to members of a spread copy is fast and keeps `__proto__` an ordinary member.
  const copy = { ...value } as Record<string, unknown>
  for (const key of Object.keys(copy)) {
    if (copy[key] === undefined) delete copy[key]
    else copy[key] = cloneJson(copy[key])
  }
  return copy as T // the same type as the original
}

/** Yields a copy of each record. The records can be objects or JSON text. */
export function* copyEach<T extends object>(records: Iterable<T | string>): Generator<T> {
  for (const record of records) yield typeof record === 'string' ? JSON.parse(record) : cloneJson(record)
}

/** Returns the form in which UUIDs are compared, or null for a value that is not a string. */
export function uuidKey(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null
}

/** Counts of records with identical content, by the ID of the first such record. IDs of later records map to 1. */
export type Occurrences = Pick<ReadonlyMap<string, number>, 'get'>

/**
 * Derives the ID of a record that the caller did not name. `first`: the ID of the first record with the same content.
 * IDs in use are skipped, since an import may leave gaps in the numbering.
 */
export function deriveOccurrenceId(
  seedPath: readonly string[],
  first: string,
  occurrences: Occurrences,
): { readonly id: string; readonly repeatOf?: string } {
  let earlier = occurrences.get(first) ?? 0
  if (earlier === 0) return { id: first }
  for (; ; earlier += 1) {
    const id = deriveUuid([...seedPath, 'repeat', first, earlier])
    if (occurrences.get(id) === undefined) return { id, repeatOf: first }
  }
}

/** Counts a record among the records with identical content. */
export function countOccurrence(occurrences: Map<string, number>, id: string, repeatOf: string | undefined): void {
  const first = repeatOf ?? id
  occurrences.set(first, (occurrences.get(first) ?? 0) + 1)
  if (repeatOf !== undefined) occurrences.set(id, 1)
}
