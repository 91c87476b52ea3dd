import { uuidKey } from '../clone.ts'
import { collections, countRecords, recordsOf, type StoredContent } from '../collections/index.ts'
import { insertKey } from '../events.ts'
import { externalKey } from '../prompts.ts'
import type { StoredEvent, StoredPrompt } from '../records.ts'
import { StoreUnavailableError } from '../store.ts'
import { countField, recordsField } from './keys.ts'
import { COMMIT_IMPORT } from './lua/sandbox-scripts.ts'
import { dayOfEvent, eventCountField, impactField, toUnits } from './redis-events.ts'
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
  for (const collection of collections.filter(({ ops }) => ops.includes('put')))
    fields.push(recordsField(collection.name), JSON.stringify(recordsOf(content, collection)))
  const args = [condition, events.length, 'quality', JSON.stringify(quality), ...fields]
  const id = scripts.createId()
  const [expected] = await scripts.fork().run(COMMIT_IMPORT, sandbox, args, id)
  if (expected === 'occupied' || scripts.isFork) return expected === 'imported'
  const writer = new HashWriter(scripts, sandbox, id)
  try {
    await writeEvents(writer, events)
    await writePrompts(writer, prompts)
    await writer.flush()
  } catch (error) {
    await writer.drop().catch(() => undefined) // what is left is deleted when its time is over
    throw error
  }
  const [outcome] = await scripts.write(COMMIT_IMPORT, sandbox, args, id)
  if (outcome === 'expired')
    throw new StoreUnavailableError('The import took too long, or Redis lost a part of it; send it again.')
  if (outcome === 'occupied') await writer.drop()
  return outcome === 'imported'
}

/** Writes hashes in slices, between which others get their turn. */
class HashWriter {
  readonly #scripts: SandboxScripts
  readonly #keys: ReadonlyMap<string, string>
  readonly #fields = new Map<string, string[]>()
  #length = 0

  constructor(scripts: SandboxScripts, sandbox: string, id: string) {
    this.#scripts = scripts
    this.#keys = new Map(KINDS.map((kind) => [kind, scripts.key(sandbox, kind, id)]))
  }

  /** True once a slice is complete. */
  get isFull(): boolean {
    return this.#length >= LENGTH_AT_ONCE
  }

  add(kind: (typeof KINDS)[number], field: string, value: string | number): void {
    const text = String(value)
    const fields = this.#fields.get(kind) ?? []
    this.#fields.set(kind, fields)
    fields.push(field, text)
    this.#length += field.length + text.length
  }

  async flush(): Promise<void> {
    const { connection } = this.#scripts
    const commands = Array.from(this.#fields, ([kind, fields]) => {
      const key = this.#keys.get(kind) ?? ''
      return [connection.call('hset', key, ...fields), connection.call('pexpire', key, STAGED_MS)]
    })
    this.#fields.clear()
    this.#length = 0
    await Promise.all(commands.flat())
  }

  async drop(): Promise<void> {
    await this.#scripts.connection.call('unlink', ...this.#keys.values())
  }
}

/** Writes what `RECORD_EVENT` would write. */
async function writeEvents(writer: HashWriter, events: readonly StoredEvent[]): Promise<void> {
  const repeats = new Map<string, number>()
  const impact = new Map<string, number>()
  for (const [place, event] of events.entries()) {
    const key = insertKey(event.fields)
    writer.add('events', String(place), JSON.stringify({ ...event, replays: 0 }))
    if (event.replays > 0) writer.add('replays', String(place), event.replays)
    if (key === undefined) addTo(repeats, event.repeatOf ?? event.eventId, 1)
    else writer.add('places', JSON.stringify(key), place)
    if (!event.sampledOut) addImpact(impact, event)
    if (writer.isFull) await writer.flush()
  }
  await writeCounts(writer, 'repeats', repeats)
  await writeCounts(writer, 'impact', impact)
}

function addImpact(sums: Map<string, number>, event: StoredEvent): void {
  const field = impactField(uuidKey(event.fields.productId), dayOfEvent(event))
  addTo(sums, field, toUnits(event.impact))
  addTo(sums, eventCountField(field), 1)
}

function addTo(counts: Map<string, number>, field: string, value: number): void {
  counts.set(field, (counts.get(field) ?? 0) + value)
}

async function writeCounts(
  writer: HashWriter,
  kind: 'repeats' | 'impact',
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [field, count] of counts) {
    writer.add(kind, field, count.toFixed(0))
    if (writer.isFull) await writer.flush()
  }
}

/** Writes what `ADD_VERSION` and `ACTIVATE_VERSION` would write. */
async function writePrompts(writer: HashWriter, prompts: readonly StoredPrompt[]): Promise<void> {
  const repeats = new Map<string, number>()
  for (const [place, { versions, ...head }] of prompts.entries()) {
    const { promptId: id, repeatOf = id } = head
    writer.add('prompts', `prompt ${id}`, JSON.stringify(head))
    writer.add('prompts', `place ${place}`, id)
    writer.add('prompts', `versions ${id}`, versions.length)
    const key = externalKey(head)
    if (key !== undefined) writer.add('prompts', `external ${key}`, id)
    else addTo(repeats, repeatOf, 1)
    for (const each of versions) {
      writer.add('prompts', `version ${id} ${each.version}`, JSON.stringify(each))
      writer.add('prompts', `number ${id} ${each.versionId}`, each.version)
      if (each.active) writer.add('prompts', `active ${id}`, each.version)
      if (writer.isFull) await writer.flush()
    }
  }
  for (const [id, count] of repeats) writer.add('prompts', `repeats ${id}`, count)
}
