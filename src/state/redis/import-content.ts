import { countRecords, plainCollections, recordsOf, type StoredContent } from '../collections/index.ts'
import { insertKey } from '../events.ts'
import { impactOfEvent } from '../memory/impact.ts'
import { externalKey } from '../prompts.ts'
import type { PromptVersion, StoredEvent, StoredPrompt } from '../records.ts'
import { type ImportCondition, StoreUnavailableError } from '../store.ts'
import type { Argument } from './connection.ts'
import { impactField } from './impact.ts'
import { countField, KINDS, recordsField, sandboxKeys } from './keys.ts'
import { STORE_RECORDS } from './lua/record-scripts.ts'
import { COMMIT_IMPORT, PUT_FIELDS } from './lua/sandbox-scripts.ts'
import type { StoredPromptChange } from './read-content.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The characters that are written at once, about: a few milliseconds of work for the process and for Redis. */
const LENGTH_AT_ONCE = 64 * 1024

/** The most arguments that are sent at once, since Lua can unpack no more than 8,000. */
const ARGUMENTS_AT_ONCE = 4000

/** The time after which Redis deletes what an import has written, if the import does not go on. */
const STAGED_MS = 10 * 60 * 1000

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
  const part = `staged:${id}:`
  const keys = KINDS.map((kind) => `${sandboxKeys(prefix, sandbox)}${part}${kind}`)
  let isImported = false
  try {
    for (const args of sliceRecords(content)) {
      await scripts.run(STORE_RECORDS, sandbox, args, id, part)
      await Promise.all(keys.map((key) => connection.call('pexpire', key, STAGED_MS)))
    }
    await scripts.run(PUT_FIELDS, sandbox, ['', 'data', ...headFields(content)], id, part)
    const counts = Object.entries(countRecords(content)).flatMap(([name, count]) => [countField(name), count])
    const [outcome] = await scripts.run(COMMIT_IMPORT, sandbox, [condition, ...counts], id)
    if (outcome === 'expired')
      throw new StoreUnavailableError('The import took too long, or Redis lost a part of it; send it again.')
    isImported = outcome === 'imported'
    return isImported
  } finally {
    // What is left is deleted when its time is over.
    if (!isImported) await connection.call('unlink', ...keys).catch(() => undefined)
  }
}

/** Returns the fields of the head that are no count of events or prompts, and their values. */
function headFields(content: StoredContent): readonly Argument[] {
  const records = plainCollections().flatMap((collection) => {
    const items = recordsOf(content, collection)
    return [recordsField(collection.name), JSON.stringify(items), countField(collection.name), items.length]
  })
  return ['quality', JSON.stringify(content.quality), ...records]
}

/** Yields the arguments of `STORE_RECORDS` for all records in slices, between which others get their turn. */
function* sliceRecords({ events = [], prompts = [] }: StoredContent): Generator<readonly Argument[]> {
  let args: Argument[] = []
  let length = 0
  for (const record of listRecords(events, prompts)) {
    args.push(...record)
    length += String(record[1]).length
    if (length < LENGTH_AT_ONCE && args.length < ARGUMENTS_AT_ONCE) continue
    yield args
    args = []
    length = 0
  }
  yield args
}

function* listRecords(
  events: readonly StoredEvent[],
  prompts: readonly StoredPrompt[],
): Generator<readonly Argument[]> {
  for (const { replays, ...event } of events) {
    const { eventId, repeatOf = eventId, sampledOut } = event
    const key = insertKey(event.fields)
    const { product, day, units } = impactOfEvent({ ...event, replays })
    const impact = [sampledOut ? '' : impactField(product, day), units.toFixed(0)]
    const name = key === undefined ? '' : JSON.stringify(key)
    yield ['event', JSON.stringify(event), name, eventId, repeatOf, ...impact, replays]
  }
  for (const prompt of prompts) for (const version of prompt.versions) yield versionArguments(prompt, version)
}

function versionArguments({ versions: _, promptId, ...prompt }: StoredPrompt, version: PromptVersion) {
  const { versionId, version: number, active } = version
  const change: StoredPromptChange = { promptId, ...(number === 1 && { prompt }), version }
  const activation: StoredPromptChange = { promptId, active: versionId }
  const ids = [promptId, prompt.repeatOf ?? promptId, versionId, number]
  const name = externalKey(prompt) ?? ''
  return ['version', JSON.stringify(change), name, ...ids, active ? JSON.stringify(activation) : '']
}
