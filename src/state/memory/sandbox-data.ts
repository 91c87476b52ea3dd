import { type ExternalName, externalKey, type PromptHead } from '../prompts.ts'
import type { PromptVersion, StoredEvent, StoredPrompt } from '../records.ts'
import { DEFAULT_QUALITY, type QualitySettings, type Snapshot } from '../records.ts'
import { EventList, type EventMark } from './event-list.ts'
import { ImpactIndex } from './impact.ts'

/** The stored form of a prompt: versions are only ever appended, and `active` holds the active version's id. */
interface PromptRecord {
  readonly head: PromptHead
  readonly versions: PromptVersion[]
  active: string | undefined
}

/** A prompt at one moment. Its versions are the first `count` of `versions`, which the prompt may append to later. */
interface PromptSnapshot {
  readonly head: PromptHead
  readonly versions: readonly PromptVersion[]
  readonly count: number
  readonly active: string | undefined
}

/** The data of a sandbox at one moment. It shares the records with the sandbox, so it costs a list of references. */
export interface SandboxSnapshot {
  readonly quality: QualitySettings
  /** This list is never changed. */
  readonly events: EventList
  readonly prompts: readonly PromptSnapshot[]
}

/** The data of a new sandbox. */
export const EMPTY_SANDBOX: SandboxSnapshot = {
  quality: DEFAULT_QUALITY,
  events: new EventList(),
  prompts: [],
}

/** A snapshot without its data. */
export type SnapshotHead = Pick<Snapshot, 'snapshotId' | 'name' | 'createdAt'>

/** A snapshot with its data. */
export interface StoredSnapshot {
  readonly head: SnapshotHead
  readonly data: SandboxSnapshot
}

/** The data of one sandbox. Its indexes make the cost of a command independent of the number of records. */
export class SandboxData {
  quality: QualitySettings
  readonly #events: EventList
  readonly #prompts = new Map<string, PromptRecord>()
  readonly #byExternalKey = new Map<string, string>()
  /** The occurrences of equal payloads without an identifier of the caller's, by the first occurrence's id. */
  readonly #occurrences = new Map<string, number>()
  readonly impact = new ImpactIndex()

  constructor(snapshot: SandboxSnapshot) {
    this.quality = snapshot.quality
    this.#events = snapshot.events.copy()
    for (const mark of this.#events.marks) this.#index(mark)
    for (const prompt of snapshot.prompts) this.#addPrompt(prompt)
  }

  get events(): EventList {
    return this.#events
  }

  get occurrences(): ReadonlyMap<string, number> {
    return this.#occurrences
  }

  get promptCount(): number {
    return this.#prompts.size
  }

  findEvent(insertId: string): StoredEvent | undefined {
    const position = this.#events.positionOf(insertId)
    return position === undefined ? undefined : this.#events.at(position)
  }

  /** Finds the prompt that the caller's identifier names, with the number of its versions. */
  findPrompt(draft: ExternalName): { readonly head: PromptHead; readonly versions: number } | undefined {
    const key = externalKey(draft)
    const promptId = key === undefined ? undefined : this.#byExternalKey.get(key)
    const record = promptId === undefined ? undefined : this.#prompts.get(promptId)
    return record && { head: record.head, versions: record.versions.length }
  }

  hasVersion(promptId: string, versionId: string): boolean {
    return this.#prompts.get(promptId)?.versions.some((version) => version.versionId === versionId) ?? false
  }

  prompts(): StoredPrompt[] {
    return [...this.#prompts.values()].map((record) =>
      promptFromSnapshot({ ...record, count: record.versions.length }),
    )
  }

  snapshot(): SandboxSnapshot {
    return {
      quality: this.quality,
      events: this.#events.copy(),
      prompts: Array.from(this.#prompts.values(), ({ head, versions, active }) => ({
        head,
        versions,
        count: versions.length,
        active,
      })),
    }
  }

  addEvent(event: StoredEvent): void {
    this.#index(this.#events.push(event))
  }

  #index(mark: EventMark): void {
    this.impact.add(mark)
    if (mark.firstEventId !== undefined) this.#count(mark.firstEventId)
  }

  addReplay(insertId: string): void {
    const position = this.#events.positionOf(insertId)
    if (position === undefined) throw new Error(`no event has insertId ${insertId}`)
    this.#events.setReplays(position, this.#events.replaysOf(position) + 1)
  }

  addVersion(head: PromptHead, version: PromptVersion): void {
    const known = this.#prompts.get(head.promptId)
    if (known !== undefined) known.versions.push(version)
    else this.#addPrompt({ head, versions: [version], count: 1, active: undefined })
  }

  activate(promptId: string, versionId: string): void {
    const record = this.#prompts.get(promptId)
    if (record === undefined) throw new Error(`no prompt has id ${promptId}`)
    record.active = versionId
  }

  #addPrompt({ head, versions, count, active }: PromptSnapshot): void {
    const key = externalKey(head)
    this.#prompts.set(head.promptId, { head, versions: versions.slice(0, count), active })
    if (key !== undefined) this.#byExternalKey.set(key, head.promptId)
    else this.#count(head.repeatOf ?? head.promptId)
  }

  #count(firstId: string): void {
    this.#occurrences.set(firstId, (this.#occurrences.get(firstId) ?? 0) + 1)
  }
}

/** Restores the public form of a prompt, in which the active version is marked. */
export function promptFromSnapshot({ head, versions, count, active }: PromptSnapshot): StoredPrompt {
  return {
    ...head,
    versions: versions
      .slice(0, count)
      .map((version) => (version.versionId === active ? { ...version, active: true } : version)),
  }
}

/** Returns the stored form of a prompt, in which every version is inactive and `active` holds the active version's id. */
export function snapshotFromPrompt({ versions, ...head }: StoredPrompt): PromptSnapshot {
  return {
    head,
    versions: versions.map((version) => (version.active ? { ...version, active: false } : version)),
    count: versions.length,
    active: versions.find((version) => version.active)?.versionId,
  }
}
