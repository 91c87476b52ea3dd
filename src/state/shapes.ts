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

/** The checks of a state file, of an entry of its log, and of an export. */

const instant = where(
  'must be a UTC time like 2026-01-15T12:00:00.000Z',
  (value) => typeof value === 'string' && /^(\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
)
const nonEmpty = where(
  'must be a string that is not empty',
  (value) => typeof value === 'string' && value !== '',
)

/** A check for the ids of an import. Replies contain these ids, and the contract describes them as UUIDs. */
const uuid = where(
  'must be a UUID',
  (value) => typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
)

/** A check for quality settings. */
export const qualityShape = record({ weight: between(0, 1) })

/**
 * A check for a stored event. The check covers only the fields that the simulator relies on, so that a state written under
 * an edited contract loads under another contract.
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
 * A check for an event of an import, which may be written by hand. The event must be as the service describes it, with
 * any further fields, since an export under an edited contract must be importable.
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

/** A check for a prompt without its versions. */
export const promptHeadShape = record(promptHead)

/** A check for a version of a prompt. */
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

/** A check for a snapshot without its content. */
export const snapshotShape = record({ snapshotId: nonEmpty, name: optional(text), createdAt: instant })

type Item = Record<string, unknown>

/** The keys of an item that must be unique in its list. Undefined: the item has no key of that kind. */
type UniqueKeys = readonly (readonly [kind: string, keyOf: (item: Item) => string | undefined])[]

const eventKeys: UniqueKeys = [
  ['eventId', ({ eventId }) => String(eventId)],
  ['insertId', ({ fields }) => (isObject(fields) ? insertKey(fields) : undefined)],
]

const promptKeys: UniqueKeys = [
  ['promptId', ({ promptId }) => String(promptId)],
  ['product and externalPromptId', externalKey],
]

const content = contentWith(eventShape, promptShape)

function contentWith(event: Check, prompt: Check) {
  return {
    quality: qualityShape,
    events: distinct(list(event), eventKeys),
    prompts: distinct(list(prompt), promptKeys),
  }
}

/** A check for the content of a sandbox, as an import stands in the log. */
export const contentShape = record(content)

/** A check for an export to import. */
export const exportShape = record({
  format: oneOf(1),
  ...contentWith(importedEventShape, importedPromptShape),
})

/** A check for a sandbox of the state file. */
export const sandboxShape = record({
  name: text,
  ...content,
  snapshotsTaken: count,
  snapshots: list(both(snapshotShape, contentShape)),
})

/** Finds versions that are not numbered 1, 2, 3, ..., and a second active version. */
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

/** Creates a check for a valid list in which no two items share a key. */
function distinct(items: Check, keys: UniqueKeys): Check {
  return both(items, (value) => {
    const list: Item[] = Array.isArray(value) ? value : [] // `items` has just proved a list of objects
    return keys.flatMap(([kind, keyOf]) => findRepeated(list, kind, keyOf))
  })
}

function findRepeated(
  items: readonly Item[],
  kind: string,
  keyOf: (item: Item) => string | undefined,
): readonly ShapeFault[] {
  const earlier = new Set<string>()
  for (const [index, item] of items.entries()) {
    const key = keyOf(item)
    if (key === undefined) continue
    if (earlier.has(key))
      return [{ at: `[${index}]`, must: `must not repeat the ${kind} ${key} of an earlier one` }]
    earlier.add(key)
  }
  return []
}

function membersOf(value: unknown, name: string): readonly Record<string, unknown>[] {
  const members = isObject(value) ? value[name] : undefined
  return Array.isArray(members) ? members.filter(isObject) : []
}
