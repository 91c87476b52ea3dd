import type { PromptHead } from '../prompts.ts'
import type { PromptVersion, QualitySettings, SandboxExport, StoredEvent } from '../records.ts'
import { EventList } from './event-list.ts'
import {
  EMPTY_SANDBOX,
  SandboxData,
  type SandboxSnapshot,
  type SnapshotHead,
  type StoredSnapshot,
  snapshotFromPrompt,
  type Undo,
} from './sandbox-data.ts'

/**
 * What was decided, as plain data: the same changes in the same order always lead to the same state. These are the lines
 * of the journal.
 */
export type Change = { readonly sandbox: string } & (
  | { readonly op: 'event'; readonly event: StoredEvent }
  | { readonly op: 'replay'; readonly insertId: string }
  | { readonly op: 'version'; readonly prompt: PromptHead; readonly version: PromptVersion }
  | { readonly op: 'activate'; readonly promptId: string; readonly versionId: string }
  | { readonly op: 'quality'; readonly quality: QualitySettings }
  | { readonly op: 'reset' }
  | { readonly op: 'delete' }
  | { readonly op: 'import'; readonly state: SandboxExport }
  | { readonly op: 'snapshot'; readonly snapshot: SnapshotHead }
  | { readonly op: 'restore'; readonly snapshotId: string }
  | { readonly op: 'forget'; readonly snapshotId: string }
)

/** One sandbox with what outlives its resets. */
export interface SandboxEntry {
  readonly data: SandboxData
  readonly snapshots: ReadonlyMap<string, StoredSnapshot>
  /** How many snapshots were ever taken, so that no id is given twice. */
  readonly snapshotsTaken: number
}

/** One sandbox at one moment, with its snapshots: what a checkpoint is written from. */
export interface SandboxEntrySnapshot {
  readonly name: string
  readonly data: SandboxSnapshot
  readonly snapshots: readonly StoredSnapshot[]
  readonly snapshotsTaken: number
}

const emptyEntry = (): SandboxEntry => ({
  data: new SandboxData(EMPTY_SANDBOX),
  snapshots: new Map(),
  snapshotsTaken: 0,
})

/** Nobody changes it. */
const EMPTY_ENTRY = emptyEntry()

/** All sandboxes, and the one place where anything kept is changed. */
export class StateData {
  readonly #sandboxes = new Map<string, SandboxEntry>()

  constructor(images: readonly SandboxEntrySnapshot[] = []) {
    for (const { name, data, snapshots, snapshotsTaken } of images) {
      const byId = new Map(snapshots.map((snapshot) => [snapshot.head.snapshotId, snapshot]))
      this.#sandboxes.set(name, { data: new SandboxData(data), snapshots: byId, snapshotsTaken })
    }
  }

  get sandboxes(): ReadonlyMap<string, SandboxEntry> {
    return this.#sandboxes
  }

  /** The sandbox of this name to look at; an empty one, which all share, where there is none. */
  sandbox(name: string): SandboxEntry {
    return this.#sandboxes.get(name) ?? EMPTY_ENTRY
  }

  snapshots(): SandboxEntrySnapshot[] {
    return Array.from(this.#sandboxes, ([name, { data, snapshots, snapshotsTaken }]) => ({
      name,
      data: data.snapshot(),
      snapshots: [...snapshots.values()],
      snapshotsTaken,
    }))
  }

  apply(change: Change): Undo {
    switch (change.op) {
      case 'event':
        return this.#within(change, (sandbox) => sandbox.addEvent(change.event))
      case 'replay':
        return this.#within(change, (sandbox) => sandbox.addReplay(change.insertId))
      case 'version':
        return this.#within(change, (sandbox) => sandbox.addVersion(change.prompt, change.version))
      case 'activate':
        return this.#within(change, (sandbox) => sandbox.activate(change.promptId, change.versionId))
      case 'quality':
        return this.#within(change, (sandbox) => setQuality(sandbox, change.quality))
      default:
        return this.#replace(
          change.sandbox,
          replacement(this.#sandboxes.get(change.sandbox) ?? emptyEntry(), change),
        )
    }
  }

  #within({ sandbox: name }: Change, step: (sandbox: SandboxData) => Undo): Undo {
    const known = this.#sandboxes.get(name)
    if (known !== undefined) return step(known.data)
    const realm = emptyEntry()
    this.#sandboxes.set(name, realm)
    const undo = step(realm.data)
    return () => {
      undo()
      this.#sandboxes.delete(name)
    }
  }

  #replace(name: string, realm: SandboxEntry | undefined): Undo {
    const before = this.#sandboxes.get(name)
    if (realm === undefined) this.#sandboxes.delete(name)
    else this.#sandboxes.set(name, realm)
    return () => {
      if (before === undefined) this.#sandboxes.delete(name)
      else this.#sandboxes.set(name, before)
    }
  }
}

function setQuality(sandbox: SandboxData, quality: QualitySettings): Undo {
  const before = sandbox.quality
  sandbox.quality = quality
  return () => {
    sandbox.quality = before
  }
}

type Replacing = Extract<Change, { op: 'reset' | 'delete' | 'import' | 'snapshot' | 'restore' | 'forget' }>

/** What stands in the realm's place afterwards; undefined: nothing. The realm itself is left as it is, for the undo. */
function replacement(realm: SandboxEntry, change: Replacing): SandboxEntry | undefined {
  switch (change.op) {
    case 'delete':
      return undefined
    case 'reset':
      return realm.snapshots.size === 0 ? undefined : { ...realm, data: new SandboxData(EMPTY_SANDBOX) }
    case 'import':
      return { ...realm, data: new SandboxData(snapshotFromExport(change.state)) }
    case 'snapshot':
      return withSnapshot(realm, change.snapshot)
    case 'restore':
      return { ...realm, data: new SandboxData(snapshotIn(realm, change.snapshotId).data) }
    case 'forget': {
      const { head } = snapshotIn(realm, change.snapshotId)
      const others = [...realm.snapshots].filter(([id]) => id !== head.snapshotId)
      return { ...realm, snapshots: new Map(others) }
    }
  }
}

function withSnapshot(realm: SandboxEntry, head: SnapshotHead): SandboxEntry {
  const snapshots = new Map(realm.snapshots)
  snapshots.set(head.snapshotId, { head, data: realm.data.snapshot() })
  return { ...realm, snapshots, snapshotsTaken: realm.snapshotsTaken + 1 }
}

function snapshotIn(realm: SandboxEntry, snapshotId: string): StoredSnapshot {
  const kept = realm.snapshots.get(snapshotId)
  if (kept === undefined) throw new Error(`no snapshot has id ${snapshotId}`)
  return kept
}

export function snapshotFromExport({
  quality,
  events,
  prompts,
}: Omit<SandboxExport, 'format'>): SandboxSnapshot {
  return { quality, events: EventList.of(events), prompts: prompts.map(snapshotFromPrompt) }
}
