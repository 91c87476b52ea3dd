import { canonicalJson, type Json } from '../core/json.ts'
import { deriveChance, deriveUuid } from '../core/seeded.ts'
import type { EventDraft, StoredEvent } from './records.ts'
import type { WriteContext } from './store.ts'

/** How often each payload or request was met, by the id that its first occurrence got. */
export type Occurrences = Pick<ReadonlyMap<string, number>, 'get'>

/**
 * The record of an event that is met for the first time. All of it follows from seed, sandbox, payload and time, and
 * from nothing that depends on the order of other requests.
 */
export function createEvent(writer: WriteContext, draft: EventDraft, seen: Occurrences): StoredEvent {
  const receivedAt = new Date(writer.now).toISOString()
  const { eventId, repeatOf } = deriveEventId(writer, draft, seen)
  return {
    eventId,
    ...(repeatOf !== undefined && { repeatOf }),
    fields: { ...draft, eventAt: draft.eventAt ?? receivedAt },
    impact: impactOf(draft),
    sampledOut: isSampledOut(writer, draft, eventId),
    receivedAt,
    replays: 0,
    ...(draft.eventAt === undefined && { eventAtDefaulted: true }),
  }
}

/**
 * What an event is met again by; undefined where the caller gave it no name. The contract can be edited: an `insertId`
 * may be null, which names nothing, or no text.
 */
export function insertKey({ insertId }: { readonly insertId?: unknown }): string | undefined {
  if (insertId === undefined || insertId === null) return undefined
  return typeof insertId === 'string' ? insertId : canonicalJson(insertId as Json) // what came as JSON
}

/** Named by `insertId`; without one by payload, and by how often the sandbox met that payload before. */
function deriveEventId(
  writer: WriteContext,
  draft: EventDraft,
  seen: Occurrences,
): { eventId: string; repeatOf?: string } {
  const world = [writer.seed, writer.sandbox, 'event']
  const key = insertKey(draft)
  // As JSON, since two lone surrogates would be hashed as the same replacement character.
  if (key !== undefined) return { eventId: deriveUuid([...world, 'insertId', JSON.stringify(key)]) }
  const first = deriveUuid([...world, 'payload', payloadOf(draft)])
  const before = seen.get(first) ?? 0
  if (before === 0) return { eventId: first }
  return { eventId: deriveUuid([...world, 'repeat', first, before]), repeatOf: first }
}

const DIRECTIONS: ReadonlyMap<unknown, number> = new Map([
  ['positive', 1],
  ['negative', -1],
  ['neutral', 0],
])

/** -1 to 1: the finer score where there is one, else the direction. 0 for what an edited contract lets in besides. */
function impactOf({ qualityImpactScore, influence }: EventDraft): number {
  return typeof qualityImpactScore === 'number' ? qualityImpactScore : (DIRECTIONS.get(influence) ?? 0)
}

/** Chance hangs on the `insertId` (else the event's id), so that a retry meets the same fate. */
function isSampledOut(writer: WriteContext, draft: EventDraft, eventId: string): boolean {
  if (typeof draft.sampleRate !== 'number' || draft.forceSample === true) return false
  const key = insertKey(draft)
  const name = key === undefined ? eventId : JSON.stringify(key)
  return deriveChance([writer.seed, writer.sandbox, 'sample', name]) >= draft.sampleRate
}

/** Whether a retry says something else than the event that stands. A time that neither of them sent does not count. */
export function payloadDiffers(standing: StoredEvent, retry: EventDraft): boolean {
  const { eventAt, ...others } = standing.fields
  const sent = standing.eventAtDefaulted ? others : { ...others, eventAt }
  return canonicalJson(asJson(sent)) !== payloadOf(retry)
}

function payloadOf(draft: EventDraft): string {
  return canonicalJson(asJson(draft))
}

/** A draft that the store has copied has no members without a value left, so it is JSON. */
function asJson(fields: { readonly [name: string]: Json | undefined }): Json {
  return fields as { [name: string]: Json }
}
