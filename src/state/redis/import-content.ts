import { countRecords, plainCollections, recordsOf, type StoredContent } from '../collections/index.ts'
import { insertKey } from '../events.ts'
import { ImpactIndex } from '../memory/impact.ts'
import { countOccurrence } from '../occurrences.ts'
import { externalKey } from '../prompts.ts'
import type { StoredEvent, StoredPrompt } from '../records.ts'
import { type ImportCondition, StoreUnavailableError } from '../store.ts'
import type { Argument } from './connection.ts'
import { eventCountField, impactField } from './impact.ts'
import { countField, KINDS, recordsField, sandboxKeys } from './keys.ts'
import { COMMIT_IMPORT } from './lua/sandbox-scripts.ts'
import type { StoredPromptChange } from './read-content.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The characters that are written at once, about: a few milliseconds of work for the process and for Redis. */
const LENGTH_AT_ONCE = 128 * 1024

/** The time after which Redis deletes what an import has written, if the import does not go on. */
const STAGED_MS = 10 * 60 * 1000

/** The hashes besides the head. */
const [, ...WRITTEN] = KINDS

type Kind = (typeof WRITTEN)[number]

/** A field of one of the hashes. */
type HashField = readonly [kind: Kind, field: string, value: Argument]

/**
 * Writes an import in slices under keys of its own, which one script then makes those of the sandbox, so that no reader
 * sees a part of it. Returns false if the sandbox has records and `condition` is `if-empty`.
 */
export async function importContent(
  scripts: SandboxScripts,
  sandbox: string,
  content: StoredContent,
  condition: ImportCondition,
): Promise<boolean> {
  const { connection, prefix, isFork } = scripts
  const id = scripts.createId()
  const [expected] = await scripts.fork().run(COMMIT_IMPORT, sandbox, [condition])
  if (expected === 'occupied' || isFork) return expected === 'imported'
  const keys = new Map(WRITTEN.map((kind) => [kind, `${sandboxKeys(prefix, sandbox)}staged:${id}:${kind}`]))
  let isImported = false
  try {
    const written = await writeFields(scripts, keys, listHashFields(content))
    const args = [condition, ...WRITTEN.map((kind) => written.get(kind) ?? 0), ...headFields(content)]
    const [outcome] = await scripts.run(COMMIT_IMPORT, sandbox, args, id)
    if (outcome === 'expired')
      throw new StoreUnavailableError('The import took too long, or Redis lost a part of it; send it again.')
    isImported = outcome === 'imported'
    return isImported
  } finally {
    // What is left is deleted when its time is over.
    if (!isImported) await connection.call('unlink', ...keys.values()).catch(() => undefined)
  }
}

/** Returns the fields of the head, and their values. */
function headFields(content: StoredContent): readonly Argument[] {
  const counts = Object.entries(countRecords(content)).flatMap(([name, count]) => [countField(name), count])
  const records = plainCollections().flatMap((collection) => [
    recordsField(collection.name),
    JSON.stringify(recordsOf(content, collection)),
  ])
  return ['quality', JSON.stringify(content.quality), ...counts, ...records]
}

/**
 * Writes fields in slices, between which others get their turn. Returns the number of fields of each hash, of which
 * equal ones of an import are one.
 */
async function writeFields(
  { connection }: SandboxScripts,
  keys: ReadonlyMap<Kind, string>,
  fields: Iterable<HashField>,
): Promise<ReadonlyMap<Kind, number>> {
  const written = new Map<Kind, number>()
  const hashes = new Map<Kind, string[]>()
  let length = 0
  const flush = async () => {
    const commands = Array.from(hashes, async ([kind, texts]) => {
      const key = keys.get(kind) ?? ''
      const added = connection.call('hset', key, ...texts)
      await Promise.all([added, connection.call('pexpire', key, STAGED_MS)])
      written.set(kind, (written.get(kind) ?? 0) + Number(await added))
    })
    hashes.clear()
    length = 0
    await Promise.all(commands)
  }
  for (const [kind, field, value] of fields) {
    const texts = hashes.get(kind) ?? []
    hashes.set(kind, texts)
    texts.push(field, String(value))
    length += field.length + String(value).length
    if (length >= LENGTH_AT_ONCE) await flush()
  }
  await flush()
  return written
}

/** Yields what `RECORD_EVENT`, `ADD_VERSION` and `ACTIVATE_VERSION` would write. */
function* listHashFields({ events = [], prompts = [] }: StoredContent): Generator<HashField> {
  const occurrences = new Map<string, number>()
  const count: CountOccurrence = (kind, id, first) =>
    countOccurrence(occurrences, `${kind} ${id}`, first && `${kind} ${first}`)
  yield* eventFields(events, count)
  yield* promptFields(prompts, count)
  for (const [field, count] of occurrences) yield ['index', field, count]
}

type CountOccurrence = (kind: 'event' | 'prompt', id: string, first: string | undefined) => void

function* eventFields(events: readonly StoredEvent[], count: CountOccurrence): Generator<HashField> {
  const impact = new ImpactIndex()
  for (const [place, { replays, ...event }] of events.entries()) {
    const key = insertKey(event.fields)
    yield ['events', String(place), JSON.stringify(event)]
    if (replays > 0) yield ['index', `replays ${place}`, replays]
    if (key === undefined) count('event', event.eventId, event.repeatOf)
    else yield ['index', `insertId ${JSON.stringify(key)}`, place]
    impact.add({ ...event, replays })
  }
  for (const { product, day, units, events: recorded } of impact.list()) {
    const field = impactField(product, day)
    yield ['impact', field, units.toFixed(0)]
    yield ['impact', eventCountField(field), recorded]
  }
}

function* promptFields(prompts: readonly StoredPrompt[], count: CountOccurrence): Generator<HashField> {
  let place = 0
  const append = (change: StoredPromptChange): HashField => ['prompts', String(place++), JSON.stringify(change)]
  for (const { promptId, versions, ...prompt } of prompts) {
    const key = externalKey(prompt)
    if (key === undefined) count('prompt', promptId, prompt.repeatOf)
    else yield ['index', `external ${key}`, promptId]
    yield ['index', `versions ${promptId}`, versions.length]
    for (const version of versions) {
      yield append({ promptId, ...(version.version === 1 && { prompt }), version })
      yield ['index', `version ${promptId} ${version.versionId}`, version.version]
      if (!version.active) continue
      yield ['index', `active ${promptId}`, place]
      yield append({ promptId, active: version.versionId })
    }
  }
}
