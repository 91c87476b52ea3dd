import { ImpactIndex, impactSumOf, insertKey } from '../collections/events.ts'
import { countRecords, type StoredContent } from '../collections/index.ts'
import { externalKey } from '../collections/prompts.ts'
import { countOccurrence, type StoredEvent, type StoredPrompt } from '../records.ts'
import { type ImportCondition, StoreUnavailableError } from '../store.ts'
import type { Argument } from './connection.ts'
import { countField, impactField, KINDS } from './keys.ts'
import { COMMIT_IMPORT } from './lua/sandbox-scripts.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

type Field = readonly [kind: (typeof KINDS)[number], name: string, value: Argument]

/** The approximate number of characters per write. Such a write takes the process and Redis a few milliseconds each. */
const WRITE_LENGTH = 64 * 1024

/** Milliseconds after which Redis deletes the staged data of an abandoned import. */
const STAGED_MS = 10 * 60 * 1000

/** Imports content via staging keys, so that readers see all or none of it. Returns false if `condition` is not met. */
export async function importContent(
  scripts: SandboxScripts,
  sandbox: string,
  content: StoredContent,
  condition: ImportCondition,
): Promise<boolean> {
  const { connection, isFork } = scripts
  const [expected] = await scripts.fork().run(COMMIT_IMPORT, sandbox, condition, '')
  if (expected === 'occupied' || isFork) return expected === 'imported'
  const id = scripts.createId()
  const keyOf = (kind: string) => scripts.keyOf(sandbox, `staged:${id}:${kind}`)
  const store = (fields: readonly Field[]) => {
    const writes = KINDS.flatMap((kind) => {
      // Only the first call stores the head, so a missing head shows that staged data expired during a slow import.
      const args = fields.filter((field) => field[0] === kind).flatMap(([, name, value]) => [name, value])
      const fieldWrites = args.length > 0 ? [connection.call('hset', keyOf(kind), ...args)] : []
      return [...fieldWrites, connection.call('pexpire', keyOf(kind), STAGED_MS)]
    })
    return Promise.all(writes)
  }
  let outcome: unknown
  try {
    const fields: Field[] = []
    let length = 0
    for (const field of listFields(content)) {
      fields.push(field)
      length += field[1].length + String(field[2]).length
      if (length < WRITE_LENGTH) continue
      await store(fields.splice(0))
      length = 0
    }
    await store(fields)
    outcome = (await scripts.run(COMMIT_IMPORT, sandbox, condition, id))[0]
  } finally {
    // If the deletion fails, the keys expire later.
    if (outcome !== 'imported') await connection.call('del', ...KINDS.map(keyOf)).catch(() => undefined)
  }
  if (outcome === 'expired')
    throw new StoreUnavailableError('The import took too long, or Redis lost its data; send the import again.')
  return outcome === 'imported'
}

function* listFields(content: StoredContent): Generator<Field> {
  const { quality, events = [], prompts = [] } = content
  for (const [name, count] of Object.entries(countRecords(content))) yield ['head', countField(name), count]
  yield ['head', 'generation', 1]
  yield ['head', 'quality', JSON.stringify(quality)]
  yield* listEventFields(events)
  yield* listPromptFields(prompts)
}

function* listEventFields(events: readonly StoredEvent[]): Generator<Field> {
  const impact = new ImpactIndex()
  const occurrences = new Map<string, number>()
  for (const [position, event] of events.entries()) {
    const { replays, ...stored } = event
    const key = insertKey(event.fields)
    yield ['events', String(position), JSON.stringify(stored)]
    if (replays > 0) yield ['index', `events ${position}`, replays]
    if (key === undefined) countOccurrence(occurrences, event.eventId, event.repeatOf)
    else yield ['index', `event named ${JSON.stringify(key)}`, position]
    if (!event.sampledOut) impact.add(impactSumOf(event))
  }
  for (const [id, count] of occurrences) yield ['index', `event ${id}`, count]
  for (const { product, day, units, events: count } of impact.list()) {
    const field = impactField(product, day)
    yield ['impact', field, units.toFixed(0)]
    yield ['impact', `events of ${field}`, count]
  }
}

function* listPromptFields(prompts: readonly StoredPrompt[]): Generator<Field> {
  const occurrences = new Map<string, number>()
  for (const [position, { versions, ...prompt }] of prompts.entries()) {
    const { promptId, repeatOf } = prompt
    const key = externalKey(prompt)
    if (key === undefined) countOccurrence(occurrences, promptId, repeatOf)
    else yield ['index', `prompt named ${key}`, promptId]
    yield ['prompts', String(position), JSON.stringify({ ...prompt, versions })]
    yield ['index', `place ${promptId}`, position]
    yield ['index', `last ${promptId}`, versions.length]
    const active = versions.find((version) => version.active)
    if (active) yield ['index', `prompts ${position}`, active.versionId]
  }
  for (const [id, count] of occurrences) yield ['index', `prompt ${id}`, count]
}
