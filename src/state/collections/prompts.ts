import { hash } from 'node:crypto'
import { canonicalJson, type Json } from '../../base/core/json.ts'
import { deriveUuid } from '../../base/core/seeded.ts'
import {
  countOccurrence,
  deriveOccurrenceId,
  type Occurrences,
  type PromptComponentDraft,
  type PromptDraft,
  type PromptVersion,
  type StoredPrompt,
  uuidKey,
  type WriteContext,
} from '../records.ts'
import type { Collection, Table } from './collection.ts'

export type PromptChange =
  | { readonly op: 'version'; readonly prompt: PromptHead; readonly version: PromptVersion }
  | { readonly op: 'activate'; readonly promptId: string; readonly versionId: string }

/** A sandbox's prompts by ID. The indexes keep the time to store a prompt independent of the number of prompts. */
export class PromptTable extends Map<string, StoredPrompt> implements Table<StoredPrompt> {
  readonly #ids = new Map<string, string>()
  /** The number of prompts created by each distinct request without an `externalPromptId`; see `Occurrences`. */
  readonly occurrences = new Map<string, number>()

  list(): StoredPrompt[] {
    return [...this.values()]
  }

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
    else if (this.get(promptId) === undefined) countOccurrence(this.occurrences, promptId, repeatOf)
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
      throw new Error(`there is no version ${versionId} of prompt ${promptId}`)
    const versions = prompt.versions.map((version) => ({ ...version, active: version.versionId === versionId }))
    this.add({ ...prompt, versions })
  }

  copy(): PromptTable {
    const copy = new PromptTable()
    for (const prompt of this.values()) copy.add(prompt)
    return copy
  }
}

export const promptCollection: Collection<StoredPrompt, PromptTable> = {
  name: 'prompts',
  keyOf: ({ promptId }) => promptId,
  otherKeys: (prompt) => ({ 'product and externalPromptId': externalKey(prompt) }),
  findErrors: findVersionErrors,
  ops: ['version', 'activate'],
  createTable: () => new PromptTable(),
}

/** Returns an error if a version's number differs from its position, or if more than one version is active. */
function findVersionErrors({ versions }: StoredPrompt): readonly string[] {
  const wrong = versions.findIndex(({ version }, index) => version !== index + 1)
  if (wrong !== -1) return [`/versions/${wrong}/version must be ${wrong + 1}, its position in the list`]
  const active = versions.filter((version) => version.active)
  return active.length > 1 ? ['/versions must not have more than one active version'] : []
}

export type PromptHead = Omit<StoredPrompt, 'versions'>

/** The fields by which callers identify a prompt. They can have any type, since the contract can be edited. */
export type ExternalName = Readonly<Partial<Record<'productId' | 'externalPromptId', unknown>>>

/**
 * Returns a key for the product and the `externalPromptId`, which together identify a prompt. The product is optional.
 * Returns undefined if the `externalPromptId` is absent, or if it is null, which an edited contract may allow.
 */
export function externalKey({ productId, externalPromptId }: ExternalName): string | undefined {
  if (externalPromptId === undefined || externalPromptId === null) return undefined
  return canonicalJson([uuidKey(productId), externalPromptId as Json]) // parsed from JSON
}

/** Creates a prompt's head. The ID depends on the external key or else on the request and its earlier occurrences. */
export function createPromptHead(context: WriteContext, draft: PromptDraft, occurrences: Occurrences): PromptHead {
  const seedPath = [context.seed, context.sandbox, 'prompt']
  const ids = {
    ...(draft.externalPromptId !== undefined && { externalPromptId: draft.externalPromptId }),
    ...(draft.productId !== undefined && { productId: draft.productId }),
  }
  const key = externalKey(draft)
  if (key !== undefined) return { promptId: deriveUuid([...seedPath, 'external', key]), ...ids }
  const first = deriveUuid([...seedPath, 'request', canonicalJson(draft as Json)])
  const { id, ...repeat } = deriveOccurrenceId(seedPath, first, occurrences)
  return { promptId: id, ...ids, ...repeat }
}

/** Creates the next version of a prompt that has `versionCount` versions. A new version is inactive. */
export function createVersion(
  { seed, sandbox, now }: WriteContext,
  draft: PromptDraft,
  promptId: string,
  versionCount: number,
): PromptVersion {
  const version = versionCount + 1
  const components = componentsOf(draft)
  const versionId = deriveUuid([seed, sandbox, 'version', promptId, version])
  return {
    versionId,
    version,
    fingerprint: computeFingerprint(components),
    active: false,
    createdAt: new Date(now).toISOString(),
    componentIds: deriveComponentIds(versionId, components.length),
    variables: findVariables(components),
    fields: draft,
  }
}

export function componentsOf({ components }: PromptDraft): readonly PromptComponentDraft[] {
  return Array.isArray(components) ? components : []
}

/** Derives component IDs from the version's ID, which itself depends on the seed and the sandbox. */
export function deriveComponentIds(versionId: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => deriveUuid([versionId, 'component', index]))
}

export function computeFingerprint(components: readonly PromptComponentDraft[]): string {
  return hash('sha256', canonicalJson([...components] as Json[]))
}

/**
 * Matches Handlebars placeholders: `{{name}}`, `{{ name }}`, `{{user.name}}`, `{{{raw}}}`, `{{&raw}}`, `{{~trimmed~}}`.
 * Does not match escaped placeholders (`\{{name}}`), helpers with arguments, blocks, partials or comments. No two
 * adjacent unbounded repetitions can match the same character, so matching takes linear time.
 */
const PLACEHOLDER =
  /(?<![\\{])\{\{\{?~?\s*(?:&\s*)?([^\s!"#%&'()*+,./;<=>@[\\\]^`{|}~]+(?:\.[^\s!"#%&'()*+,./;<=>@[\\\]^`{|}~]+)*)\s*~?\}?\}\}/g

const KEYWORDS = new Set(['else', 'this'])

/** Returns the distinct names of all variables, in order of first appearance. */
export function findVariables(components: readonly PromptComponentDraft[]): readonly string[] {
  const names = new Set<string>()
  for (const component of components) {
    const content: unknown = component?.content // an edited contract may allow null components, or content of any type
    if (typeof content !== 'string') continue
    for (const [, name] of content.matchAll(PLACEHOLDER)) {
      if (name !== undefined && !KEYWORDS.has(name)) names.add(name)
    }
  }
  return [...names]
}
