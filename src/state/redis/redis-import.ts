import { countRecords, plainCollections, recordsOf, type StoredContent } from '../collections/index.ts'
import { insertKey } from '../events.ts'
import { ImpactIndex } from '../memory/impact.ts'
import { externalKey } from '../prompts.ts'
import type { StoredEvent, StoredPrompt } from '../records.ts'
import { StoreUnavailableError } from '../store.ts'
import { countField, recordsField } from './keys.ts'
import { COMMIT_IMPORT } from './lua/sandbox-scripts.ts'
import { eventCountField, impactField } from './redis-records.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The characters that are written at once, about: a few milliseconds of work for the process and for Redis. */
const LENGTH_AT_ONCE = 128 * 1024

/** The time after which Redis deletes what an import has written, if the import does not go on. */
const STAGED_MS = 10 * 60 * 1000

/** The hashes that an import writes. */
const KINDS = ['events', 'places', 'repeats', 'impact', 'replays', 'prompts'] as const

/**
 * Writes an import in slices under keys of its own, which one script then makes those of the sandbox, so that no reader
 * sees a part of it. Returns false if the sandbox has records and `condition` is `if-empty`.
 */
export async function importContent(
  scripts: SandboxScripts,
  sandbox: string,
  content: StoredContent,
  condition: 'always' | 'if-empty',
): Promise<boolean> {
  const { events = [], prompts = [], quality } = content
  const fields = Object.entries(countRecords(content)).flatMap(([name, count]) => [countField(name), count])
  for (const collection of plainCollections())
    fields.push(recordsField(collection.name), JSON.stringify(recordsOf(content, collection)))
  const args = [condition, events.length, 'quality', JSON.stringify(quality), ...fields]
  const id = scripts.createId()
  const [expected] = await scripts.fork().run(COMMIT_IMPORT, sandbox, args, id)
  if (expected === 'occupied' || scripts.isFork) return expected === 'imported'
  const keys = new Map(KINDS.map((kind) => [kind, scripts.key(sandbox, kind, id)]))
  const drop = () => scripts.connection.call('unlink', ...keys.values())
  try {
    await writeFields(scripts, keys, eventFields(events))
    await writeFields(scripts, keys, promptFields(prompts))
  } catch (error) {
    await drop().catch(() => undefined) // what is left is deleted when its time is over
    throw error
  }
  const [outcome] = await scripts.write(COMMIT_IMPORT, sandbox, args, id)
  if (outcome === 'expired')
    throw new StoreUnavailableError('The import took too long, or Redis lost a part of it; send it again.')
  if (outcome === 'occupied') await drop()
  return outcome === 'imported'
}

type Kind = (typeof KINDS)[number]

/** A field of one of the hashes. */
type HashField = readonly [kind: Kind, field: string, value: string | number]

/** Writes fields in slices, between which others get their turn. */
async function writeFields(
  { connection }: SandboxScripts,
  keys: ReadonlyMap<Kind, string>,
  fields: Iterable<HashField>,
): Promise<void> {
  const hashes = new Map<Kind, string[]>()
  let length = 0
  const flush = async () => {
    const commands = Array.from(hashes, ([kind, texts]) => {
      const key = keys.get(kind) ?? ''
      return [connection.call('hset', key, ...texts), connection.call('pexpire', key, STAGED_MS)]
    })
    hashes.clear()
    length = 0
    await Promise.all(commands.flat())
  }
  for (const [kind, field, value] of fields) {
    const text = String(value)
    const texts = hashes.get(kind) ?? []
    hashes.set(kind, texts)
    texts.push(field, text)
    length += field.length + text.length
    if (length >= LENGTH_AT_ONCE) await flush()
  }
  await flush()
}

/** Yields what `RECORD_EVENT` would write. */
function* eventFields(events: readonly StoredEvent[]): Generator<HashField> {
  const repeats = new Map<string, number>()
  const impact = new ImpactIndex()
  for (const [place, event] of events.entries()) {
    const key = insertKey(event.fields)
    yield ['events', String(place), JSON.stringify({ ...event, replays: 0 })]
    if (event.replays > 0) yield ['replays', String(place), event.replays]
    if (key !== undefined) yield ['places', JSON.stringify(key), place]
    else addOne(repeats, event.repeatOf ?? event.eventId)
    impact.add(event)
  }
  for (const [id, count] of repeats) yield ['repeats', id, count]
  for (const { product, day, units, events: count } of impact.list()) {
    const field = impactField(product, day)
    yield ['impact', field, units.toFixed(0)]
    yield ['impact', eventCountField(field), count]
  }
}

/** Yields what `ADD_VERSION` and `ACTIVATE_VERSION` would write. */
function* promptFields(prompts: readonly StoredPrompt[]): Generator<HashField> {
  const repeats = new Map<string, number>()
  for (const [place, { versions, ...head }] of prompts.entries()) {
    const { promptId: id, repeatOf = id } = head
    yield ['prompts', `prompt ${id}`, JSON.stringify(head)]
    yield ['prompts', `place ${place}`, id]
    yield ['prompts', `versions ${id}`, versions.length]
    const key = externalKey(head)
    if (key !== undefined) yield ['prompts', `external ${key}`, id]
    else addOne(repeats, repeatOf)
    for (const each of versions) {
      yield ['prompts', `version ${id} ${each.version}`, JSON.stringify(each)]
      yield ['prompts', `number ${id} ${each.versionId}`, each.version]
      if (each.active) yield ['prompts', `active ${id}`, each.version]
    }
  }
  for (const [id, count] of repeats) yield ['prompts', `repeats ${id}`, count]
}

function addOne(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1)
}
