import { type ExternalName, externalKey, type PromptHead } from '../prompts.ts'
import type { PromptVersion, StoredPrompt } from '../records.ts'
import { beginsWith, type Collection, type Table } from './collection.ts'

/** A change of the prompts of a sandbox. */
export type PromptChange =
  | { readonly op: 'version'; readonly prompt: PromptHead; readonly version: PromptVersion }
  | { readonly op: 'activate'; readonly promptId: string; readonly versionId: string }

interface PromptIndex {
  /** Prompt ids by the caller's identifier. */
  readonly externalKeys: Map<string, string>
  /** The occurrences of equal requests without an identifier of the caller's, by the first occurrence's id. */
  readonly occurrences: Map<string, number>
}

/** The prompts of a sandbox. Its index makes the cost of a command independent of the number of prompts. */
export class PromptTable implements Table {
  readonly #prompts: Map<string, StoredPrompt>
  /** Undefined until it is needed: most copies are only read. */
  #index: PromptIndex | undefined

  constructor(prompts?: ReadonlyMap<string, StoredPrompt>) {
    this.#prompts = new Map(prompts)
  }

  get size(): number {
    return this.#prompts.size
  }

  get occurrences(): ReadonlyMap<string, number> {
    return this.#getIndex().occurrences
  }

  list(): StoredPrompt[] {
    return [...this.#prompts.values()]
  }

  /** Finds the prompt that the caller's identifier names. */
  find(name: ExternalName): StoredPrompt | undefined {
    const key = externalKey(name)
    const promptId = key === undefined ? undefined : this.#getIndex().externalKeys.get(key)
    return promptId === undefined ? undefined : this.#prompts.get(promptId)
  }

  hasVersion(promptId: string, versionId: string): boolean {
    return this.#prompts.get(promptId)?.versions.some((version) => version.versionId === versionId) ?? false
  }

  add(prompt: StoredPrompt): void {
    this.#prompts.set(prompt.promptId, prompt)
    if (this.#index) addTo(this.#index, prompt)
  }

  apply(change: PromptChange): void {
    if (change.op === 'version') this.#addVersion(change.prompt, change.version)
    else this.#activate(change.promptId, change.versionId)
  }

  #addVersion(head: PromptHead, version: PromptVersion): void {
    const known = this.#prompts.get(head.promptId)
    const prompt = { ...head, versions: [...(known?.versions ?? []), version] }
    if (known === undefined) this.add(prompt)
    else this.#prompts.set(head.promptId, prompt)
  }

  #activate(promptId: string, versionId: string): void {
    const prompt = this.#prompts.get(promptId)
    if (prompt === undefined || !this.hasVersion(promptId, versionId))
      throw new Error(`no prompt ${promptId} has a version ${versionId}`)
    const versions = prompt.versions.map((version) => {
      const active = version.versionId === versionId
      return version.active === active ? version : { ...version, active }
    })
    this.#prompts.set(promptId, { ...prompt, versions })
  }

  copy(): PromptTable {
    return new PromptTable(this.#prompts)
  }

  continues(earlier: PromptTable): boolean {
    return beginsWith(this.list(), earlier.list())
  }

  *changesSince(earlier: PromptTable): Generator<PromptChange> {
    for (const { versions, ...prompt } of this.list().slice(earlier.size))
      for (const version of versions) yield { op: 'version', prompt, version }
  }

  #getIndex(): PromptIndex {
    if (this.#index) return this.#index
    this.#index = { externalKeys: new Map(), occurrences: new Map() }
    for (const prompt of this.#prompts.values()) addTo(this.#index, prompt)
    return this.#index
  }
}

function addTo({ externalKeys, occurrences }: PromptIndex, head: PromptHead): void {
  const key = externalKey(head)
  const firstId = head.repeatOf ?? head.promptId
  if (key !== undefined) externalKeys.set(key, head.promptId)
  else occurrences.set(firstId, (occurrences.get(firstId) ?? 0) + 1)
}

/** The prompts. Their versions are added one by one. */
export const promptCollection: Collection<StoredPrompt, PromptTable, 'prompts'> = {
  name: 'prompts',
  schema: 'prompt',
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
