import { encodePath } from '../../core/seeded.ts'
import { cloneJson, deepFreeze } from '../clone.ts'
import { createEvent, insertKey, payloadDiffers, sampleRateOf } from '../events.ts'
import { impactOfEvent } from '../memory/impact.ts'
import { createPrompt, createVersion, externalKey } from '../prompts.ts'
import type { EventDraft, PromptDraft, WriteContext } from '../records.ts'
import type { EventReceipt, PromptReceipt } from '../store.ts'
import { impactField } from './impact.ts'
import { ADD_VERSION, RECORD_EVENT } from './lua/record-scripts.ts'
import { parseEvent } from './read-content.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** Does what `Store.recordEvent` describes. The script derives what depends on the number of equal payloads. */
export async function recordEvent(
  scripts: SandboxScripts,
  context: WriteContext,
  given: EventDraft,
): Promise<EventReceipt> {
  const { sandbox, seed } = context
  const draft = cloneJson(given)
  const create = (earlier: number) => createEvent(context, draft, { get: () => earlier })
  const first = create(0)
  const { eventId, sampledOut: _, ...event } = first
  const { product, day, units } = impactOfEvent(first)
  const key = insertKey(draft)
  const [outcome, value, replays] = await scripts.run(RECORD_EVENT, sandbox, [
    encodePath([seed, sandbox]),
    key === undefined ? '' : JSON.stringify(key),
    eventId,
    impactField(product, day),
    units.toFixed(0),
    sampleRateOf(draft) ?? 1,
    JSON.stringify(event),
  ])
  if (outcome === 'stored')
    return { event: value === 0 ? first : create(Number(value)), replayed: false, payloadDiffers: false }
  const stored = parseEvent(sandbox, value, replays)
  return { event: stored, replayed: true, payloadDiffers: payloadDiffers(stored, draft) }
}

/** Does what `Store.addPromptVersion` describes. The script derives what depends on the number of earlier ones. */
export async function addPromptVersion(
  scripts: SandboxScripts,
  context: WriteContext,
  given: PromptDraft,
): Promise<PromptReceipt> {
  const { sandbox, seed } = context
  const draft = cloneJson(given)
  const { promptId: first, ...prompt } = createPrompt(context, draft, { get: () => 0 })
  const { versionId: _, version: _version, componentIds, ...version } = createVersion(context, draft, first, 0)
  const [id, earlier] = await scripts.run(ADD_VERSION, sandbox, [
    encodePath([seed, sandbox]),
    externalKey(draft) ?? '',
    first,
    JSON.stringify(prompt),
    componentIds.length,
    JSON.stringify(version),
  ])
  const promptId = String(id)
  return { promptId, version: deepFreeze(createVersion(context, draft, promptId, Number(earlier))) }
}
