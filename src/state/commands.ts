import { deriveUuid } from '../core/seeded.ts'
import { deepFreeze } from './clone.ts'
import { createEvent, insertKey, payloadDiffers } from './events.ts'
import type { SnapshotHead, StoredSnapshot } from './memory/sandbox-data.ts'
import type { Change, StateData } from './memory/state-data.ts'
import { createPrompt, createVersion } from './prompts.ts'
import type { EventDraft, PromptDraft, Snapshot } from './records.ts'
import type { EventReceipt, PromptReceipt, WriteContext } from './store.ts'

/** What a step decided: the change to keep (none: nothing changes), and the answer for when it is kept. */
export interface Decision<T> {
  readonly change?: Change
  readonly result: T
}

/** Looks at the world and decides. Its change is applied in the same turn, so that nothing comes in between. */
export type Command<T> = (world: StateData) => Decision<T>

/** The decision of a step that is either made or, where `hindered`, not: the answer says which. */
export function commandUnless(hindered: boolean, change: Change): Decision<boolean> {
  return hindered ? { result: false } : { change, result: true }
}

/** The first event of an `insertId` stands; every other one of the same is counted as its replay. */
export function recordEvent(
  world: StateData,
  writer: WriteContext,
  draft: EventDraft,
): Decision<EventReceipt> {
  const { data } = world.sandbox(writer.sandbox)
  const key = insertKey(draft)
  const standing = key === undefined ? undefined : data.findEvent(key)
  if (key === undefined || standing === undefined) {
    const event = createEvent(writer, draft, data.occurrences)
    return {
      change: { op: 'event', sandbox: writer.sandbox, event },
      result: { event, replayed: false, payloadDiffers: false },
    }
  }
  const event = { ...standing, replays: standing.replays + 1 }
  return {
    change: { op: 'replay', sandbox: writer.sandbox, insertId: key },
    result: { event, replayed: true, payloadDiffers: payloadDiffers(standing, draft) },
  }
}

/** A new version, of the prompt that the caller's identifier names or of a new one. */
export function addPromptVersion(
  world: StateData,
  writer: WriteContext,
  draft: PromptDraft,
): Decision<PromptReceipt> {
  const { data } = world.sandbox(writer.sandbox)
  const known = data.findPrompt(draft)
  const prompt = known?.head ?? createPrompt(writer, draft, data.occurrences)
  const version = deepFreeze(createVersion(writer, draft, prompt.promptId, known?.versions ?? 0))
  return {
    change: { op: 'version', sandbox: writer.sandbox, prompt, version },
    result: { promptId: prompt.promptId, version },
  }
}

/** Its id comes from how many snapshots the sandbox took before, so that a run can be repeated. */
export function createSnapshot(
  world: StateData,
  writer: WriteContext,
  name: string | undefined,
): Decision<Snapshot> {
  const realm = world.sandbox(writer.sandbox)
  const snapshot: SnapshotHead = {
    snapshotId: deriveUuid([writer.seed, writer.sandbox, 'snapshot', realm.snapshotsTaken]),
    ...(name !== undefined && { name }),
    createdAt: new Date(writer.now).toISOString(),
  }
  const { events, promptCount } = realm.data
  return {
    change: { op: 'snapshot', sandbox: writer.sandbox, snapshot },
    result: { ...snapshot, events: events.length, prompts: promptCount },
  }
}

export function summarizeSnapshot({ head, data }: StoredSnapshot): Snapshot {
  return { ...head, events: data.events.length, prompts: data.prompts.length }
}
