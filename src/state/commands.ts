import { deriveUuid } from '../core/seeded.ts'
import { frozen } from './clone.ts'
import { insertKey, newEvent, payloadDiffers } from './events.ts'
import type { KeptSnapshot, SnapshotHead } from './memory/sandbox-data.ts'
import type { Change, World } from './memory/state-data.ts'
import { newPrompt, newVersion } from './prompts.ts'
import type { Snapshot } from './sandboxes.ts'
import type { EventDraft, EventReceipt, PromptDraft, PromptReceipt, Writer } from './store.ts'

/** What a step decided: the change to keep (none: nothing changes), and the answer for when it is kept. */
export interface Decision<T> {
  readonly change?: Change
  readonly answer: T
}

/** Looks at the world and decides. Its change is applied in the same turn, so that nothing comes in between. */
export type Step<T> = (world: World) => Decision<T>

/** The decision of a step that is either made or, where `hindered`, not: the answer says which. */
export function stepUnless(hindered: boolean, change: Change): Decision<boolean> {
  return hindered ? { answer: false } : { change, answer: true }
}

/** The first event of an `insertId` stands; every other one of the same is counted as its replay. */
export function recordEvent(world: World, writer: Writer, draft: EventDraft): Decision<EventReceipt> {
  const { sandbox } = world.realm(writer.sandbox)
  const key = insertKey(draft)
  const standing = key === undefined ? undefined : sandbox.eventOf(key)
  if (key === undefined || standing === undefined) {
    const event = newEvent(writer, draft, sandbox.occurrences)
    return {
      change: { op: 'event', sandbox: writer.sandbox, event },
      answer: { event, replayed: false, payloadDiffers: false },
    }
  }
  const event = { ...standing, replays: standing.replays + 1 }
  return {
    change: { op: 'replay', sandbox: writer.sandbox, insertId: key },
    answer: { event, replayed: true, payloadDiffers: payloadDiffers(standing, draft) },
  }
}

/** A new version, of the prompt that the caller's identifier names or of a new one. */
export function addVersion(world: World, writer: Writer, draft: PromptDraft): Decision<PromptReceipt> {
  const { sandbox } = world.realm(writer.sandbox)
  const known = sandbox.promptOf(draft)
  const prompt = known?.head ?? newPrompt(writer, draft, sandbox.occurrences)
  const version = frozen(newVersion(writer, draft, prompt.promptId, known?.versions ?? 0))
  return {
    change: { op: 'version', sandbox: writer.sandbox, prompt, version },
    answer: { promptId: prompt.promptId, version },
  }
}

/** Its id comes from how many snapshots the sandbox took before, so that a run can be repeated. */
export function takeSnapshot(world: World, writer: Writer, name: string | undefined): Decision<Snapshot> {
  const realm = world.realm(writer.sandbox)
  const snapshot: SnapshotHead = {
    snapshotId: deriveUuid([writer.seed, writer.sandbox, 'snapshot', realm.snapshotsTaken]),
    ...(name !== undefined && { name }),
    createdAt: new Date(writer.now).toISOString(),
  }
  const { events, promptCount } = realm.sandbox
  return {
    change: { op: 'snapshot', sandbox: writer.sandbox, snapshot },
    answer: { ...snapshot, events: events.length, prompts: promptCount },
  }
}

export function describeSnapshot({ head, image }: KeptSnapshot): Snapshot {
  return { ...head, events: image.events.length, prompts: image.prompts.length }
}
