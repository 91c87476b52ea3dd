import { hash } from 'node:crypto'
import { canonicalJson, type Json } from '../base/core/json.ts'
import { deriveUuid } from '../base/core/seeded.ts'
import { uuidKey } from './clone.ts'
import { deriveOccurrenceId, type Occurrences } from './occurrences.ts'
import type { PromptComponentDraft, PromptDraft, PromptVersion, StoredPrompt, WriteContext } from './records.ts'

/** A prompt without its versions. */
export type PromptHead = Omit<StoredPrompt, 'versions'>

/** The caller's own name of a prompt. The fields have any type, since the contract can be edited. */
export type ExternalName = Readonly<Partial<Record<'productId' | 'externalPromptId', unknown>>>

/**
 * Returns the key under which a prompt is found by the caller's identifier. The same identifier with another product,
 * or without one, names another prompt. Returns undefined without an identifier, or with null, which an edited contract
 * may allow.
 */
export function externalKey({ productId, externalPromptId }: ExternalName): string | undefined {
  if (externalPromptId === undefined || externalPromptId === null) return undefined
  return canonicalJson([uuidKey(productId), externalPromptId as Json]) // parsed from JSON
}

/** Creates a new prompt. Its id is derived from the caller's identifier, or else from request and occurrence. */
export function createPromptHead(context: WriteContext, draft: PromptDraft, occurrences: Occurrences): PromptHead {
  const seedPath = [context.seed, context.sandbox, 'prompt']
  const given = {
    ...(draft.externalPromptId !== undefined && { externalPromptId: draft.externalPromptId }),
    ...(draft.productId !== undefined && { productId: draft.productId }),
  }
  const key = externalKey(draft)
  if (key !== undefined) return { promptId: deriveUuid([...seedPath, 'external', key]), ...given }
  const first = deriveUuid([...seedPath, 'request', canonicalJson(draft as Json)])
  const { id, ...repeat } = deriveOccurrenceId(seedPath, first, occurrences)
  return { promptId: id, ...given, ...repeat }
}

/** Creates the next version of a prompt that has `before` versions. A new version is inactive. */
export function createVersion(
  context: WriteContext,
  draft: PromptDraft,
  promptId: string,
  before: number,
): PromptVersion {
  const version = before + 1
  const components = componentsOf(draft)
  const versionId = deriveUuid([context.seed, context.sandbox, 'version', promptId, version])
  return {
    versionId,
    version,
    fingerprint: computeFingerprint(components),
    active: false,
    createdAt: new Date(context.now).toISOString(),
    componentIds: deriveComponentIds(versionId, components.length),
    variables: findVariables(components),
    fields: draft,
  }
}

/** Returns the components of a prompt: none for an edited contract that makes them optional, or another type. */
export function componentsOf({ components }: PromptDraft): readonly PromptComponentDraft[] {
  return Array.isArray(components) ? components : []
}

/** Derives the ids of components from that of their version, which depends on seed and sandbox. */
export function deriveComponentIds(versionId: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => deriveUuid([versionId, 'component', index]))
}

/** Returns the SHA-256, in hex, of the components' canonical JSON: equal components have equal fingerprints. */
export function computeFingerprint(components: readonly PromptComponentDraft[]): string {
  return hash('sha256', canonicalJson([...components] as Json[]))
}

/**
 * A Handlebars placeholder: `{{name}}`, `{{ name }}`, `{{user.name}}`, `{{{raw}}}`, `{{&raw}}`, `{{~trimmed~}}`. The
 * pattern matches no escaped placeholder (`\{{name}}`), helper, block, partial or comment. No two neighbouring parts
 * can match the same character, so the time is linear in the text.
 */
const PLACEHOLDER =
  /(?<!\\)\{\{\{?~?\s*(?:&\s*)?([^\s!"#%&'()*+,./;<=>@[\\\]^`{|}~]+(?:\.[^\s!"#%&'()*+,./;<=>@[\\\]^`{|}~]+)*)\s*~?\}?\}\}/g

/** Handlebars keywords, which look like names. */
const KEYWORDS = new Set(['else', 'this'])

/** Finds the names of all placeholders, in the order of their first appearance, without repetition. */
export function findVariables(components: readonly PromptComponentDraft[]): readonly string[] {
  const names = new Set<string>()
  for (const component of components) {
    const content: unknown = component?.content // an edited contract may allow other types, and null
    if (typeof content !== 'string') continue
    for (const [, name] of content.matchAll(PLACEHOLDER)) {
      if (name !== undefined && !KEYWORDS.has(name)) names.add(name)
    }
  }
  return [...names]
}
