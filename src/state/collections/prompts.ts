import { countOccurrence } from '../occurrences.ts'
import { type ExternalName, externalKey, type PromptHead } from '../prompts.ts'
import type { PromptVersion, StoredPrompt } from '../records.ts'
import type { Collection, Table } from './collection.ts'

/** A change of the prompts of a sandbox. */
export type PromptChange =
  | { readonly op: 'version'; readonly prompt: PromptHead; readonly version: PromptVersion }
  | { readonly op: 'activate'; readonly promptId: string; readonly versionId: string }

/** The prompts of a sandbox by id. Its indexes make the cost of a command independent of the number of prompts. */
export class PromptTable extends Map<string, StoredPrompt> implements Table<StoredPrompt> {
  /** Prompt ids by the caller's identifier. */
  readonly #ids = new Map<string, string>()
  readonly #occurrences = new Map<string, number>()

  /** The occurrences of requests without an identifier of the caller's; see `Occurrences`. */
  get occurrences(): ReadonlyMap<string, number> {
    return this.#occurrences
  }

  list(): StoredPrompt[] {
    return [...this.values()]
  }

  /** Finds the prompt that the caller's identifier names. */
  find(name: ExternalName): StoredPrompt | undefined {
    const key = externalKey(name)
    const promptId = key === undefined ? undefined : this.#ids.get(key)
    return promptId === undefined ? undefined : this.get(promptId)
  }

  hasVersion(promptId: string, versionId: string): boolean {
    return this.get(promptId)?.versions.some((version) => version.versionId === versionId) ?? false
  }

  add(prompt: StoredPrompt): void {
    const { promptId, repeatOf } = prompt
    const key = externalKey(prompt)
    if (key !== undefined) this.#ids.set(key, promptId)
    else if (this.get(promptId) === undefined) countOccurrence(this.#occurrences, promptId, repeatOf)
    this.set(promptId, prompt)
  }

  apply(change: PromptChange): void {
    if (change.op === 'version') this.#addVersion(change.prompt, change.version)
    else this.#activate(change.promptId, change.versionId)
  }

  #addVersion(head: PromptHead, version: PromptVersion): void {
    this.add({ ...head, versions: [...(this.get(head.promptId)?.versions ?? []), version] })
  }

  #activate(promptId: string, versionId: string): void {
    const prompt = this.get(promptId)
    if (prompt === undefined || !this.hasVersion(promptId, versionId))
      throw new Error(`no prompt ${promptId} has a version ${versionId}`)
    const versions = prompt.versions.map((version) => ({ ...version, active: version.versionId === versionId }))
    this.add({ ...prompt, versions })
  }

  copy(): PromptTable {
    const copy = new PromptTable()
    for (const prompt of this.values()) copy.add(prompt)
    return copy
  }
}

/** The prompts. Their versions are added one by one. */
export const promptCollection: Collection<StoredPrompt, PromptTable> = {
  name: 'prompts',
  keyOf: ({ promptId }) => promptId,
  otherKeys: (prompt) => ({ 'product and externalPromptId': externalKey(prompt) }),
  findFaults: findVersionFaults,
  ops: ['version', 'activate'],
  createTable: () => new PromptTable(),
}

/** Finds the first version that is not numbered by its place, and a second active version. */
function findVersionFaults({ versions }: StoredPrompt): readonly string[] {
  const wrong = versions.findIndex(({ version }, index) => version !== index + 1)
  if (wrong !== -1) return [`/versions/${wrong}/version must be ${wrong + 1}, its place in the list`]
  const active = versions.filter((version) => version.active)
  return active.length > 1 ? ['/versions must have no more than one active version'] : []
}
