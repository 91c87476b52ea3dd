import { type ExternalName, externalKey, type PromptHead } from '../prompts.ts'
import type { PromptVersion, StoredEvent, StoredPrompt } from '../records.ts'
import { DEFAULT_QUALITY, type QualitySettings, type Snapshot } from '../records.ts'
import { EventList } from './event-list.ts'
import { ImpactIndex } from './impact.ts'
import type { EventMark } from './mark.ts'

/** Takes a change back. Only ever called in the same turn, latest change first. */
export type Undo = () => void

/** A prompt as it is kept: versions are only ever appended, and which one is active stands beside them. */
interface PromptRecord {
  readonly head: PromptHead
  readonly versions: PromptVersion[]
  active: string | undefined
}

/** What a prompt was at one moment: the first `count` of a list that may have grown since. */
interface PromptSnapshot {
  readonly head: PromptHead
  readonly versions: readonly PromptVersion[]
  readonly count: number
  readonly active: string | undefined
}

/** What a sandbox held at one moment. It shares the records with the sandbox, so it costs a list of references. */
export interface SandboxSnapshot {
  readonly quality: QualitySettings
  /** Never changed. */
  readonly events: EventList
  readonly prompts: readonly PromptSnapshot[]
}

export const EMPTY_SANDBOX: SandboxSnapshot = {
  quality: DEFAULT_QUALITY,
  events: new EventList(),
  prompts: [],
}

export type SnapshotHead = Pick<Snapshot, 'snapshotId' | 'name' | 'createdAt'>

export interface StoredSnapshot {
  readonly head: SnapshotHead
  readonly data: SandboxSnapshot
}

/** The data of one sandbox, with the indexes that make each step cost the same however much is stored. */
export class SandboxData {
  quality: QualitySettings
  readonly #events: EventList
  readonly #prompts = new Map<string, PromptRecord>()
  readonly #byExternalKey = new Map<string, string>()
  /** Of what has no name of the caller's: how often each payload came, by the id that its first occurrence got. */
  readonly #occurrences = new Map<string, number>()
  readonly impact = new ImpactIndex()

  constructor(image: SandboxSnapshot) {
    this.quality = image.quality
    this.#events = image.events.copy()
    for (const mark of this.#events.marks) this.#index(mark, 1)
    for (const prompt of image.prompts) this.#addPrompt(prompt)
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
    const place = this.#events.positionOf(insertId)
    return place === undefined ? undefined : this.#events.at(place)
  }

  /** The prompt that the caller means, and how many versions it has. */
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

  addEvent(event: StoredEvent): Undo {
    const mark = this.#events.push(event)
    this.#index(mark, 1)
    return () => {
      this.#events.pop()
      this.#index(mark, -1)
    }
  }

  #index(mark: EventMark, by: 1 | -1): void {
    this.impact.update(mark, by)
    if (mark.first !== undefined) this.#count(mark.first, by)
  }

  addReplay(insertId: string): Undo {
    const place = this.#events.positionOf(insertId)
    if (place === undefined) throw new Error(`no event has insertId ${insertId}`)
    const before = this.#events.replaysOf(place)
    this.#events.setReplays(place, before + 1)
    return () => this.#events.setReplays(place, before)
  }

  addVersion(head: PromptHead, version: PromptVersion): Undo {
    const known = this.#prompts.get(head.promptId)
    if (known !== undefined) {
      known.versions.push(version)
      return () => {
        known.versions.pop()
      }
    }
    return this.#addPrompt({ head, versions: [version], count: 1, active: undefined })
  }

  activate(promptId: string, versionId: string): Undo {
    const record = this.#prompts.get(promptId)
    if (record === undefined) throw new Error(`no prompt has id ${promptId}`)
    const before = record.active
    record.active = versionId
    return () => {
      record.active = before
    }
  }

  #addPrompt({ head, versions, count, active }: PromptSnapshot): Undo {
    const key = externalKey(head)
    this.#prompts.set(head.promptId, { head, versions: versions.slice(0, count), active })
    if (key !== undefined) this.#byExternalKey.set(key, head.promptId)
    const first = key === undefined ? (head.repeatOf ?? head.promptId) : undefined
    if (first !== undefined) this.#count(first, 1)
    return () => {
      this.#prompts.delete(head.promptId)
      if (key !== undefined) this.#byExternalKey.delete(key)
      if (first !== undefined) this.#count(first, -1)
    }
  }

  #count(first: string, by: 1 | -1): void {
    const times = (this.#occurrences.get(first) ?? 0) + by
    if (times === 0) this.#occurrences.delete(first)
    else this.#occurrences.set(first, times)
  }
}

/** The prompt as it was, with each version knowing whether it is the active one. */
export function promptFromSnapshot({ head, versions, count, active }: PromptSnapshot): StoredPrompt {
  const then = versions.slice(0, count)
  return {
    ...head,
    versions: then.map((version) => (version.versionId === active ? { ...version, active: true } : version)),
  }
}

/** The other way round: a version is kept as inactive, and the prompt says which one is active. */
export function snapshotFromPrompt({ versions, ...head }: StoredPrompt): PromptSnapshot {
  return {
    head,
    versions: versions.map((version) => (version.active ? { ...version, active: false } : version)),
    count: versions.length,
    active: versions.find((version) => version.active)?.versionId,
  }
}
