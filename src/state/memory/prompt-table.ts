import { deepFreeze } from '../clone.ts'
import { serializeMembers } from '../json-text.ts'
import { type ExternalName, externalKey, type PromptHead } from '../prompts.ts'
import type { PromptVersion, StoredPrompt } from '../records.ts'
import type { Table, TableRecord } from './table.ts'

/** A change of the prompts of a sandbox. */
export type PromptChange =
  | { readonly op: 'version'; readonly prompt: PromptHead; readonly version: PromptVersion }
  | { readonly op: 'activate'; readonly promptId: string; readonly versionId: string }

/** The stored form of a prompt: versions are appended, and replaced only to change `active`. */
interface PromptRecord {
  readonly head: PromptHead
  readonly versions: PromptVersion[]
  /** True: copies of the table have this record, too, so that a change is made to a copy of it. */
  isShared: boolean
  /** The length of the JSON of head and first `measured` versions, in characters. */
  length: number
  measured: number
}

interface PromptIndex {
  /** Prompt ids by the caller's identifier. */
  readonly externalKeys: Map<string, string>
  /** The occurrences of equal requests without an identifier of the caller's, by the first occurrence's id. */
  readonly occurrences: Map<string, number>
}

/** The prompts of a sandbox. Its index makes the cost of a command independent of the number of prompts. */
export class PromptTable implements Table<StoredPrompt> {
  readonly #prompts: Map<string, PromptRecord>
  /** Undefined until it is needed: most copies are only read. */
  #index: PromptIndex | undefined

  private constructor(records: Iterable<PromptRecord>) {
    this.#prompts = new Map(Array.from(records, (record) => [record.head.promptId, record]))
  }

  static of(prompts: readonly StoredPrompt[]): PromptTable {
    return new PromptTable(prompts.map(({ versions, ...head }) => createRecord(head, [...versions])))
  }

  get size(): number {
    return this.#prompts.size
  }

  get occurrences(): ReadonlyMap<string, number> {
    return this.#getIndex().occurrences
  }

  /** Finds the prompt that the caller's identifier names, with the number of its versions. */
  find(name: ExternalName): { readonly head: PromptHead; readonly versions: number } | undefined {
    const key = externalKey(name)
    const promptId = key === undefined ? undefined : this.#getIndex().externalKeys.get(key)
    const record = promptId === undefined ? undefined : this.#prompts.get(promptId)
    return record && { head: record.head, versions: record.versions.length }
  }

  hasVersion(promptId: string, versionId: string): boolean {
    return this.#prompts.get(promptId)?.versions.some((version) => version.versionId === versionId) ?? false
  }

  /** Returns the length of a prompt's JSON, in characters; 0: the prompt does not exist. It measures each version once. */
  lengthOf(promptId: string): number {
    const record = this.#prompts.get(promptId)
    if (record === undefined) return 0
    if (record.length === 0) record.length = serializeMembers(record.head).length
    for (const version of record.versions.slice(record.measured))
      record.length += JSON.stringify(version).length + 1
    record.measured = record.versions.length
    return record.length
  }

  list(): readonly StoredPrompt[] {
    const prompts = Array.from(this.#prompts.values(), ({ head, versions }) => ({
      ...head,
      versions: [...versions],
    }))
    return deepFreeze(prompts)
  }

  apply(change: PromptChange): void {
    if (change.op === 'version') this.#addVersion(change.prompt, change.version)
    else this.#activate(change.promptId, change.versionId)
  }

  #addVersion(head: PromptHead, version: PromptVersion): void {
    if (this.#prompts.has(head.promptId)) {
      this.#recordToChange(head.promptId)?.versions.push(version)
      return
    }
    const index = this.#getIndex()
    this.#prompts.set(head.promptId, createRecord(head, [version]))
    addTo(index, head)
  }

  /** Returns the record of a prompt, which no other table has. Undefined: there is none. */
  #recordToChange(promptId: string): PromptRecord | undefined {
    const record = this.#prompts.get(promptId)
    if (record?.isShared !== true) return record
    const own = { ...record, versions: record.versions.slice(), isShared: false }
    this.#prompts.set(promptId, own)
    return own
  }

  #activate(promptId: string, versionId: string): void {
    const record = this.#recordToChange(promptId)
    if (record === undefined || !this.hasVersion(promptId, versionId))
      throw new Error(`no prompt ${promptId} has a version ${versionId}`)
    for (const [index, version] of record.versions.entries()) {
      const active = version.versionId === versionId
      if (version.active !== active) record.versions[index] = { ...version, active }
    }
  }

  copy(): PromptTable {
    for (const record of this.#prompts.values()) record.isShared = true
    return new PromptTable(this.#prompts.values())
  }

  async readAll(): Promise<readonly StoredPrompt[]> {
    return this.list()
  }

  *records(): Generator<TableRecord> {
    for (const record of this.#prompts.values())
      yield { identity: record, revision: 0, text: () => promptText(record) }
  }

  #getIndex(): PromptIndex {
    if (this.#index) return this.#index
    this.#index = { externalKeys: new Map(), occurrences: new Map() }
    for (const { head } of this.#prompts.values()) addTo(this.#index, head)
    return this.#index
  }
}

function createRecord(head: PromptHead, versions: PromptVersion[]): PromptRecord {
  return { head, versions, isShared: false, length: 0, measured: 0 }
}

function addTo({ externalKeys, occurrences }: PromptIndex, head: PromptHead): void {
  const key = externalKey(head)
  const firstId = head.repeatOf ?? head.promptId
  if (key !== undefined) externalKeys.set(key, head.promptId)
  else occurrences.set(firstId, (occurrences.get(firstId) ?? 0) + 1)
}

function* promptText({ head, versions }: PromptRecord): Generator<string> {
  yield `{${serializeMembers(head)},"versions":[`
  for (const [index, version] of versions.entries()) yield (index === 0 ? '' : ',') + JSON.stringify(version)
  yield ']}'
}
