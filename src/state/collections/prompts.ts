import { countOccurrence } from '../occurrences.ts'
import { type ExternalName, externalKey, type PromptHead } from '../prompts.ts'
import type { PromptVersion, StoredPrompt } from '../records.ts'
import type { Collection, Table } from './collection.ts'

/** A change of the prompts of a sandbox. */
export type PromptChange =
  | { readonly op: 'version'; readonly prompt: PromptHead; readonly version: PromptVersion }
  | { readonly op: 'activate'; readonly promptId: string; readonly versionId: string }

interface PromptIndex {
  /** Prompt ids by the caller's identifier. */
  readonly externalKeys: Map<string, string>
  /** The occurrences of requests without an identifier of the caller's; see `Occurrences`. */
  readonly occurrences: Map<string, number>
}

/** The prompts of a sandbox. Its index makes the cost of a command independent of the number of prompts. */
export class PromptTable implements Table {
  readonly #prompts: Map<string, StoredPrompt>
  /** The lengths of the JSON of prompts, in characters, as far as they were measured. */
  readonly #lengths = new Map<string, number>()
  /** Undefined until it is needed: most copies are only read. */
  #index: PromptIndex | undefined

  constructor(prompts: Iterable<StoredPrompt>) {
    this.#prompts = new Map(Array.from(prompts, (prompt) => [prompt.promptId, prompt]))
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

  /** Returns the length of a prompt's JSON in characters, measured once for each version; 0 for none. */
  lengthOf(promptId: string): number {
    const prompt = this.#prompts.get(promptId)
    if (prompt === undefined) return 0
    const length = this.#lengths.get(promptId) ?? JSON.stringify(prompt).length
    this.#lengths.set(promptId, length)
    return length
  }

  apply(change: PromptChange): void {
    if (change.op === 'version') this.#addVersion(change.prompt, change.version)
    else this.#activate(change.promptId, change.versionId)
  }

  #addVersion(head: PromptHead, version: PromptVersion): void {
    const { promptId } = head
    const known = this.#prompts.get(promptId)
    const length = this.#lengths.get(promptId)
    if (length !== undefined) this.#lengths.set(promptId, length + JSON.stringify(version).length + 1)
    if (known === undefined) addTo(this.#getIndex(), head)
    this.#prompts.set(promptId, { ...head, versions: [...(known?.versions ?? []), version] })
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
    this.#lengths.delete(promptId)
  }

  copy(): PromptTable {
    return new PromptTable(this.#prompts.values())
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
  if (key !== undefined) externalKeys.set(key, head.promptId)
  else countOccurrence(occurrences, head.promptId, head.repeatOf)
}

/** The prompts. Their versions are added one by one. */
export const promptCollection: Collection<StoredPrompt, PromptTable, 'prompts'> = {
  name: 'prompts',
  keyOf: ({ promptId }) => promptId,
  otherKeys: (prompt) => ({ 'product and externalPromptId': externalKey(prompt) }),
  findFaults: findVersionFaults,
  ops: ['version', 'activate'],
  createTable: (prompts) => new PromptTable(prompts),
}

/** Finds the first version that is not numbered by its place, and a second active version. */
function findVersionFaults({ versions }: StoredPrompt): readonly string[] {
  const wrong = versions.findIndex(({ version }, index) => version !== index + 1)
  if (wrong !== -1) return [`/versions/${wrong}/version must be ${wrong + 1}, its place in the list`]
  const active = versions.filter((version) => version.active)
  return active.length > 1 ? ['/versions must have no more than one active version'] : []
}
