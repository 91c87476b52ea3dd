/** Reads a sandbox's records from Redis, in slices. */
import { componentsOf, deriveComponentIds } from '../collections/prompts.ts'
import { createFilter } from '../queries.ts'
import { DEFAULT_QUALITY, EXPORT_FORMAT, type StoredEvent, type StoredPrompt } from '../records.ts'
import { type EventPage, type EventQuery, type Records, type SandboxReading, StoreUnavailableError } from '../store.ts'
import type { RedisReply } from './connection.ts'
import { countField } from './keys.ts'
import { READ_RECORDS } from './lua/record-scripts.ts'
import { parseField, parseStoredJson, type SandboxScripts } from './sandbox-scripts.ts'

/** A record and its mark: an event's number of replays, or the ID of a prompt's active version. Marks may be empty. */
type StoredText = readonly [text: string, mark: string]

type Slice = readonly [generation: string, texts: readonly string[], marks: readonly string[]]

interface Source {
  readonly scripts: SandboxScripts
  readonly sandbox: string
  readonly generation: string
  readonly events: number
  readonly prompts: number
}

async function openSource(scripts: SandboxScripts, sandbox: string) {
  const names = ['generation', countField('events'), countField('prompts'), 'quality']
  const [generation = '', events, prompts, quality] = await scripts.readFields(sandbox, ...names)
  const source = { scripts, sandbox, generation, events: Number(events), prompts: Number(prompts) }
  return { source, quality }
}

export async function listEvents(scripts: SandboxScripts, sandbox: string, query: EventQuery): Promise<EventPage> {
  const { offset = 0, limit = Number.MAX_SAFE_INTEGER, order } = query
  const { source } = await openSource(scripts, sandbox)
  const matches = createFilter(query)
  if (!matches) return { events: readEvents(source, order, offset, limit), total: source.events }
  const events: StoredEvent[] = []
  let total = 0
  for await (const event of readEvents(source, order)) {
    if (!matches(event)) continue
    if (total >= offset && events.length < limit) events.push(event)
    total += 1
  }
  return { events, total }
}

export async function listPrompts(scripts: SandboxScripts, sandbox: string): Promise<Records<StoredPrompt>> {
  return readPrompts((await openSource(scripts, sandbox)).source)
}

export async function exportSandbox(scripts: SandboxScripts, sandbox: string): Promise<SandboxReading> {
  const { source, quality } = await openSource(scripts, sandbox)
  return {
    format: EXPORT_FORMAT,
    quality: Object.freeze(parseField(sandbox, 'quality settings', quality, DEFAULT_QUALITY)),
    events: readEvents(source),
    prompts: readPrompts(source),
  }
}

async function* readEvents(source: Source, order?: EventQuery['order'], offset = 0, limit = source.events) {
  const end = Math.min(offset + limit, source.events)
  const first = order === 'newest' ? source.events - 1 - offset : offset
  for await (const [text, replays] of readRecords(source, 'events', first, end - offset, order === 'newest' ? -1 : 1))
    yield parseStoredEvent(source.sandbox, text, replays)
}

/** Throws if the records are replaced or deleted during the read. */
async function* readRecords(
  { scripts, sandbox, generation }: Source,
  kind: 'events' | 'prompts',
  first: number,
  count: number,
  step = 1,
): AsyncGenerator<StoredText> {
  for (let read = 0; read < count; ) {
    const reply = await scripts.run(READ_RECORDS, sandbox, kind, first + read * step, count - read, step)
    const [current, texts, marks] = reply as unknown as Slice // the script's return type
    if (current !== generation)
      throw new StoreUnavailableError(
        `The sandbox "${sandbox}" was replaced while it was being read; send the request again.`,
      )
    for (const [index, text] of texts.entries()) yield [text, marks[index] ?? '']
    read += texts.length
  }
}

export function parseStoredEvent(sandbox: string, text: RedisReply | undefined, replays: RedisReply | undefined) {
  return { ...parseStoredJson<StoredEvent>(sandbox, 'events', text), replays: Number(replays) }
}

async function* readPrompts(source: Source): AsyncGenerator<StoredPrompt> {
  for await (const [text, active] of readRecords(source, 'prompts', 0, source.prompts)) {
    const prompt = parseStoredJson<StoredPrompt>(source.sandbox, 'prompts', text)
    const versions = prompt.versions.map(({ versionId, componentIds: stored, ...version }) => {
      // Unlike imported versions, versions added with `ADD_VERSION` are stored without component IDs.
      const componentIds = stored ?? deriveComponentIds(versionId, componentsOf(version.fields).length)
      return { ...version, versionId, componentIds, active: versionId === active }
    })
    yield { ...prompt, versions }
  }
}
