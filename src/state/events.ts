import { canonicalJson, isSameJson, type Json } from '../base/core/json.ts'
import { chanceOfUuid, deriveUuid } from '../base/core/seeded.ts'
import { deriveOccurrenceId, type Occurrences } from './occurrences.ts'
import type { EventDraft, StoredEvent, WriteContext } from './records.ts'

/**
 * Creates the record of a new event. The record depends on seed, sandbox, payload, time and earlier equal payloads
 * only, so the order of other requests does not change it. The id is derived from the `insertId`, or else from the
 * payload and the number of earlier equal ones.
 */
export function createStoredEvent(context: WriteContext, draft: EventDraft, occurrences: Occurrences): StoredEvent {
  const receivedAt = new Date(context.now).toISOString()
  const seedPath = [context.seed, context.sandbox, 'event']
  const key = insertKey(draft)
  // JSON escapes lone surrogates; hashed as they are, all of them would be the same replacement character.
  const path = key === undefined ? ['payload', canonicalJson(draft as Json)] : ['insertId', JSON.stringify(key)]
  const first = deriveUuid([...seedPath, ...path])
  const { id, ...repeat } = key === undefined ? deriveOccurrenceId(seedPath, first, occurrences) : { id: first }
  return {
    eventId: id,
    ...repeat,
    fields: { ...draft, eventAt: draft.eventAt ?? receivedAt },
    impact: impactOf(draft),
    sampledOut: chanceOfUuid(id) >= sampleRateOf(draft),
    receivedAt,
    replays: 0,
    ...(draft.eventAt === undefined && { eventAtDefaulted: true }),
  }
}

/**
 * Returns the `insertId` of an event as text. An edited contract may allow values that are no strings: they become
 * canonical JSON. Returns undefined for an event without `insertId`, or with null.
 */
export function insertKey({ insertId }: { readonly insertId?: unknown }): string | undefined {
  if (insertId === undefined || insertId === null) return undefined
  return typeof insertId === 'string' ? insertId : canonicalJson(insertId as Json) // parsed from JSON
}

const DIRECTIONS = new Map<unknown, number>([
  ['positive', 1],
  ['negative', -1],
])

/** Returns the score, cut at a million where an edited contract has no bounds, or else the direction, or 0. */
function impactOf({ qualityImpactScore: score, influence }: EventDraft): number {
  return typeof score === 'number' ? Math.max(-1e6, Math.min(1e6, score)) : (DIRECTIONS.get(influence) ?? 0)
}

/** Returns the share of such events that is counted. The event's id decides, so that a retry is sampled alike. */
export function sampleRateOf({ sampleRate, forceSample }: EventDraft): number {
  return typeof sampleRate === 'number' && forceSample !== true ? sampleRate : 1
}

/** Compares the payload of a retry with that of the stored event. An `eventAt` that neither of them sent is ignored. */
export function payloadDiffers(stored: StoredEvent, retry: EventDraft): boolean {
  const { eventAt, ...others } = stored.fields
  const sent = stored.eventAtDefaulted ? others : { ...others, eventAt }
  return !isSameJson(sent as Json, retry as Json)
}
