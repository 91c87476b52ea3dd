import { deepFreeze } from '../clone.ts'
import { joinLines, serializeMembers } from '../json-text.ts'
import { type ExternalName, externalKey, type PromptHead } from '../prompts.ts'
import type { PromptVersion, StoredPrompt } from '../records.ts'
import type { Table } from './table.ts'

/** A change of the prompts of a sandbox. */
export type PromptChange =
  | { readonly op: 'version'; readonly prompt: PromptHead; readonly version: PromptVersion }
  | { readonly op: 'activate'; readonly promptId: string; readonly versionId: string }

/** The stored form of a prompt: versions are appended, and replaced only to change `active`. */
interface PromptRecord {
  readonly head: PromptHead
  readonly versions: PromptVersion[]
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
    return new PromptTable(prompts.map(({ versions, ...head }) => ({ head, versions: [...versions] })))
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
    const known = this.#prompts.get(head.promptId)
    if (known !== undefined) {
      known.versions.push(version)
      return
    }
    const index = this.#getIndex()
    this.#prompts.set(head.promptId, { head, versions: [version] })
    addTo(index, head)
  }

  #activate(promptId: string, versionId: string): void {
    const record = this.#prompts.get(promptId)
    if (record === undefined || !this.hasVersion(promptId, versionId))
      throw new Error(`no prompt ${promptId} has a version ${versionId}`)
    for (const [index, version] of record.versions.entries()) {
      const active = version.versionId === versionId
      if (version.active !== active) record.versions[index] = { ...version, active }
    }
  }

  copy(): PromptTable {
    return new PromptTable(
      Array.from(this.#prompts.values(), ({ head, versions }) => ({ head, versions: versions.slice() })),
    )
  }

  async readAll(): Promise<readonly StoredPrompt[]> {
    return this.list()
  }

  *text(): Generator<string> {
    let separator = '\n        '
    for (const { head, versions } of this.#prompts.values()) {
      yield `${separator}{${serializeMembers(head)},"versions":[`
      yield* joinLines(eachAsJson(versions))
      yield ']}'
      separator = ',\n        '
    }
  }

  #getIndex(): PromptIndex {
    if (this.#index) return this.#index
    this.#index = { externalKeys: new Map(), occurrences: new Map() }
    for (const { head } of this.#prompts.values()) addTo(this.#index, head)
    return this.#index
  }
}

function addTo({ externalKeys, occurrences }: PromptIndex, head: PromptHead): void {
  const key = externalKey(head)
  const firstId = head.repeatOf ?? head.promptId
  if (key !== undefined) externalKeys.set(key, head.promptId)
  else occurrences.set(firstId, (occurrences.get(firstId) ?? 0) + 1)
}

function* eachAsJson(items: Iterable<object>): Generator<string> {
  for (const item of items) yield JSON.stringify(item)
}
