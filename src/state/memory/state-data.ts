import type { PromptHead } from '../prompts.ts'
import type { QualitySettings, SandboxExport } from '../sandboxes.ts'
import type { PromptVersion, StoredEvent } from '../store.ts'
import { EventList } from './event-list.ts'
import {
  EMPTY_IMAGE,
  imageOfPrompt,
  type KeptSnapshot,
  Sandbox,
  type SandboxImage,
  type SnapshotHead,
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
export interface Realm {
  readonly sandbox: Sandbox
  readonly snapshots: ReadonlyMap<string, KeptSnapshot>
  /** How many snapshots were ever taken, so that no id is given twice. */
  readonly snapshotsTaken: number
}

/** One sandbox at one moment, with its snapshots: what a checkpoint is written from. */
export interface RealmImage {
  readonly name: string
  readonly image: SandboxImage
  readonly snapshots: readonly KeptSnapshot[]
  readonly snapshotsTaken: number
}

const emptyRealm = (): Realm => ({
  sandbox: new Sandbox(EMPTY_IMAGE),
  snapshots: new Map(),
  snapshotsTaken: 0,
})

/** Nobody changes it. */
const EMPTY_REALM = emptyRealm()

/** All sandboxes, and the one place where anything kept is changed. */
export class World {
  readonly #realms = new Map<string, Realm>()

  constructor(images: readonly RealmImage[] = []) {
    for (const { name, image, snapshots, snapshotsTaken } of images) {
      const byId = new Map(snapshots.map((snapshot) => [snapshot.head.snapshotId, snapshot]))
      this.#realms.set(name, { sandbox: new Sandbox(image), snapshots: byId, snapshotsTaken })
    }
  }

  get realms(): ReadonlyMap<string, Realm> {
    return this.#realms
  }

  /** The sandbox of this name to look at; an empty one, which all share, where there is none. */
  realm(name: string): Realm {
    return this.#realms.get(name) ?? EMPTY_REALM
  }

  images(): RealmImage[] {
    return Array.from(this.#realms, ([name, { sandbox, snapshots, snapshotsTaken }]) => ({
      name,
      image: sandbox.image(),
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
          replacement(this.#realms.get(change.sandbox) ?? emptyRealm(), change),
        )
    }
  }

  #within({ sandbox: name }: Change, step: (sandbox: Sandbox) => Undo): Undo {
    const known = this.#realms.get(name)
    if (known !== undefined) return step(known.sandbox)
    const realm = emptyRealm()
    this.#realms.set(name, realm)
    const undo = step(realm.sandbox)
    return () => {
      undo()
      this.#realms.delete(name)
    }
  }

  #replace(name: string, realm: Realm | undefined): Undo {
    const before = this.#realms.get(name)
    if (realm === undefined) this.#realms.delete(name)
    else this.#realms.set(name, realm)
    return () => {
      if (before === undefined) this.#realms.delete(name)
      else this.#realms.set(name, before)
    }
  }
}

function setQuality(sandbox: Sandbox, quality: QualitySettings): Undo {
  const before = sandbox.quality
  sandbox.quality = quality
  return () => {
    sandbox.quality = before
  }
}

type Replacing = Extract<Change, { op: 'reset' | 'delete' | 'import' | 'snapshot' | 'restore' | 'forget' }>

/** What stands in the realm's place afterwards; undefined: nothing. The realm itself is left as it is, for the undo. */
function replacement(realm: Realm, change: Replacing): Realm | undefined {
  switch (change.op) {
    case 'delete':
      return undefined
    case 'reset':
      return realm.snapshots.size === 0 ? undefined : { ...realm, sandbox: new Sandbox(EMPTY_IMAGE) }
    case 'import':
      return { ...realm, sandbox: new Sandbox(imageOfExport(change.state)) }
    case 'snapshot':
      return withSnapshot(realm, change.snapshot)
    case 'restore':
      return { ...realm, sandbox: new Sandbox(snapshotIn(realm, change.snapshotId).image) }
    case 'forget': {
      const { head } = snapshotIn(realm, change.snapshotId)
      const others = [...realm.snapshots].filter(([id]) => id !== head.snapshotId)
      return { ...realm, snapshots: new Map(others) }
    }
  }
}

function withSnapshot(realm: Realm, head: SnapshotHead): Realm {
  const snapshots = new Map(realm.snapshots)
  snapshots.set(head.snapshotId, { head, image: realm.sandbox.image() })
  return { ...realm, snapshots, snapshotsTaken: realm.snapshotsTaken + 1 }
}

function snapshotIn(realm: Realm, snapshotId: string): KeptSnapshot {
  const kept = realm.snapshots.get(snapshotId)
  if (kept === undefined) throw new Error(`no snapshot has id ${snapshotId}`)
  return kept
}

export function imageOfExport({ quality, events, prompts }: Omit<SandboxExport, 'format'>): SandboxImage {
  return { quality, events: EventList.of(events), prompts: prompts.map(imageOfPrompt) }
}
