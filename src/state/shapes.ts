import { isObject } from '../core/json.ts'
import { insertKey } from './events.ts'
import { externalKey } from './prompts.ts'
import {
  between,
  both,
  type Check,
  count,
  flag,
  list,
  oneOf,
  optional,
  record,
  type ShapeFault,
  text,
  where,
} from './shape.ts'

/** What a state file, a journal line and an export must look like before we believe them. */

const instant = where(
  'must be a UTC time like 2026-01-15T12:00:00.000Z',
  (value) => typeof value === 'string' && /^(\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
)
const nonEmpty = where(
  'must be a string that is not empty',
  (value) => typeof value === 'string' && value !== '',
)

/** Answers give these ids out again, and the contract says what they look like. */
const uuid = where(
  'must be a UUID',
  (value) => typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
)

export const qualityShape = record({ weight: between(0, 1) })

/**
 * An event as we keep it. What the caller may send is the contract's affair, and the contract can be edited: only what
 * we rely on is asked for, lest a state that was written under one contract does not load under another.
 */
export const eventShape = record({
  eventId: nonEmpty,
  fields: record({ eventAt: instant }),
  impact: where('must be a number', Number.isFinite),
  sampledOut: flag,
  receivedAt: instant,
  replays: count,
  eventAtDefaulted: optional(oneOf(true)),
  repeatOf: optional(nonEmpty),
})

/**
 * An event that somebody hands us, perhaps written by hand: as the service describes it, but for what another contract
 * may have added, since an export has to come in where it came out.
 */
const importedEventShape = both(
  eventShape,
  record({
    eventId: uuid,
    fields: record({
      eventType: text,
      productId: text,
      value: text,
      valueType: text,
      influence: text,
      qualityImpactScore: optional(between(-1, 1)),
      conversationId: optional(text),
      externalConversationId: optional(text),
      insertId: optional(text),
    }),
    impact: between(-1, 1),
  }),
)

const promptHead = {
  promptId: nonEmpty,
  repeatOf: optional(nonEmpty),
}

export const promptHeadShape = record(promptHead)

export const versionShape = record({
  versionId: nonEmpty,
  version: count,
  fingerprint: where(
    'must be a SHA-256 in hex',
    (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  ),
  active: flag,
  createdAt: instant,
  componentIds: list(nonEmpty),
  variables: list(text),
  fields: record({}),
})

const promptShape = promptShapeWith(versionShape)

const importedPromptShape = both(
  promptShapeWith(
    both(
      versionShape,
      record({
        versionId: uuid,
        componentIds: list(uuid),
        fields: record({ name: optional(text), components: optional(list(record({ content: text }))) }),
      }),
    ),
  ),
  record({ promptId: uuid, externalPromptId: optional(text), productId: optional(text) }),
)

function promptShapeWith(version: Check): Check {
  return both(record({ ...promptHead, versions: list(version) }), numberedVersions)
}

export const snapshotShape = record({ snapshotId: nonEmpty, name: optional(text), createdAt: instant })

type Item = Record<string, unknown>

/** What an item of a list is known by; undefined: by nothing of that kind. */
type Namings = readonly (readonly [kind: string, nameOf: (item: Item) => string | undefined])[]

const eventNames: Namings = [
  ['eventId', ({ eventId }) => String(eventId)],
  ['insertId', ({ fields }) => (isObject(fields) ? insertKey(fields) : undefined)],
]

const promptNames: Namings = [
  ['promptId', ({ promptId }) => String(promptId)],
  ['product and externalPromptId', externalKey],
]

const content = contentWith(eventShape, promptShape)

function contentWith(event: Check, prompt: Check) {
  return {
    quality: qualityShape,
    events: distinct(list(event), eventNames),
    prompts: distinct(list(prompt), promptNames),
  }
}

/** What a sandbox holds, as the journal keeps an import. */
export const contentShape = record(content)

/** An export that somebody hands us. */
export const exportShape = record({
  format: oneOf(1),
  ...contentWith(importedEventShape, importedPromptShape),
})

export const sandboxShape = record({
  name: text,
  ...content,
  snapshotsTaken: count,
  snapshots: list(both(snapshotShape, contentShape)),
})

/** Versions 1, 2, 3, ...; at most one of them active. */
function numberedVersions(prompt: unknown): readonly ShapeFault[] {
  const versions = membersOf(prompt, 'versions')
  if (versions.length === 0) return [{ at: '.versions', must: 'must have at least one version' }]
  const wrong = versions.findIndex((version, index) => version['version'] !== index + 1)
  if (wrong !== -1)
    return [{ at: `.versions[${wrong}].version`, must: `must be ${wrong + 1}, its place in the list` }]
  if (versions.filter((version) => version['active'] === true).length > 1) {
    return [{ at: '.versions', must: 'must have no more than one active version' }]
  }
  return []
}

/** A list, right in itself, in which no two items have a name in common. */
function distinct(items: Check, namings: Namings): Check {
  return both(items, (value) => {
    const held: Item[] = Array.isArray(value) ? value : [] // its check has just proved it to be a list of objects
    return namings.flatMap(([kind, nameOf]) => repeated(held, kind, nameOf))
  })
}

function repeated(
  items: readonly Item[],
  kind: string,
  nameOf: (item: Item) => string | undefined,
): readonly ShapeFault[] {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const name = nameOf(item)
    if (name === undefined) continue
    if (seen.has(name))
      return [{ at: `[${index}]`, must: `must not repeat the ${kind} ${name} of an earlier one` }]
    seen.add(name)
  }
  return []
}

function membersOf(value: unknown, name: string): readonly Record<string, unknown>[] {
  const members = isObject(value) ? value[name] : undefined
  return Array.isArray(members) ? members.filter(isObject) : []
}
