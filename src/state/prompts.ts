import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '../core/json.ts'
import { deriveUuid } from '../core/seeded.ts'
import { uuidKey } from './clone.ts'
import type { Occurrences } from './events.ts'
import type { PromptComponentDraft, PromptDraft, PromptVersion, StoredPrompt } from './records.ts'
import type { WriteContext } from './store.ts'

/** A prompt without its versions. */
export type PromptHead = Omit<StoredPrompt, 'versions'>

/** What the caller calls the prompt. */
export interface ExternalName {
  readonly productId?: unknown
  readonly externalPromptId?: unknown
}

/**
 * Under this key the caller's own identifier is looked up: the same identifier for another product, or for none, names
 * another prompt. Undefined: the prompt has no identifier of the caller's; null, where an edited contract allows it, is none.
 */
export function externalKey({ productId, externalPromptId }: ExternalName): string | undefined {
  if (externalPromptId === undefined || externalPromptId === null) return undefined
  return canonicalJson([uuidKey(productId), externalPromptId as Json]) // what came as JSON
}

/** A prompt that is met for the first time. Named by the caller's identifier, else by request and occurrence. */
export function createPrompt(writer: WriteContext, draft: PromptDraft, seen: Occurrences): PromptHead {
  const world = [writer.seed, writer.sandbox, 'prompt']
  const given = {
    ...(draft.externalPromptId !== undefined && { externalPromptId: draft.externalPromptId }),
    ...(draft.productId !== undefined && { productId: draft.productId }),
  }
  const key = externalKey(draft)
  if (key !== undefined) return { promptId: deriveUuid([...world, 'external', key]), ...given }
  const first = deriveUuid([...world, 'request', canonicalJson(asJson(draft))])
  const before = seen.get(first) ?? 0
  if (before === 0) return { promptId: first, ...given }
  return { promptId: deriveUuid([...world, 'repeat', first, before]), ...given, repeatOf: first }
}

/** The next version of a prompt that has `before` versions. Never active: creation leaves prompts in use as they are. */
export function createVersion(
  writer: WriteContext,
  draft: PromptDraft,
  promptId: string,
  before: number,
): PromptVersion {
  const version = before + 1
  const components = draft.components ?? [] // the contract can be edited to do without
  const versionId = deriveUuid([writer.seed, writer.sandbox, 'version', promptId, version])
  return {
    versionId,
    version,
    fingerprint: computeFingerprint(components),
    active: false,
    createdAt: new Date(writer.now).toISOString(),
    componentIds: components.map((_, index) =>
      deriveUuid([writer.seed, writer.sandbox, 'component', versionId, index]),
    ),
    variables: findVariables(components),
    fields: draft,
  }
}

/** SHA-256, hex, over the canonical JSON of the components: equal components, in equal order, have equal ones. */
export function computeFingerprint(components: readonly PromptComponentDraft[]): string {
  return createHash('sha256')
    .update(canonicalJson(asJson(components)))
    .digest('hex')
}

/**
 * A handlebars placeholder: `{{name}}`, `{{ name }}`, `{{user.name}}`, `{{{raw}}}`, `{{&raw}}`, `{{~trimmed~}}`. Not an
 * escaped one (`\{{name}}`), and no helper, block, partial or comment. Linear in the text: no two neighbouring parts can
 * match the same character.
 */
const PLACEHOLDER =
  /(?<!\\)\{\{\{?~?\s*(?:&\s*)?([^\s!"#%&'()*+,./;<=>@[\\\]^`{|}~]+(?:\.[^\s!"#%&'()*+,./;<=>@[\\\]^`{|}~]+)*)\s*~?\}?\}\}/g

/** Words that stand where a name could, and are none. */
const KEYWORDS = new Set(['else', 'this'])

/** The names of the placeholders, in order of first appearance, once each. */
export function findVariables(components: readonly PromptComponentDraft[]): readonly string[] {
  const names = new Set<string>()
  for (const { content } of components) {
    if (typeof content !== 'string') continue // the contract can be edited to do without
    for (const [, name] of content.matchAll(PLACEHOLDER)) {
      if (name !== undefined && !KEYWORDS.has(name)) names.add(name)
    }
  }
  return [...names]
}

/** A draft that the store has copied has no members without a value left, so it is JSON. */
function asJson(draft: PromptDraft | readonly PromptComponentDraft[]): Json {
  return draft as Json
}
