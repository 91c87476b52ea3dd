/** Reads the records of a sandbox, as they are at one moment. */
import { plainCollections } from '../collections/index.ts'
import { componentsOf, deriveComponentIds, type PromptHead } from '../collections/prompts.ts'
import { createTest } from '../queries.ts'
import { DEFAULT_QUALITY, EXPORT_FORMAT, type PromptVersion, type StoredEvent, type StoredPrompt } from '../records.ts'
import { type EventPage, type EventQuery, type SandboxReading, StoreUnavailableError } from '../store.ts'
import type { RedisReply } from './connection.ts'
import { countField, recordsField } from './keys.ts'
import { READ_RECORDS } from './lua/record-scripts.ts'
import { parseField, parseStoredJson, type SandboxScripts } from './sandbox-scripts.ts'

/** A record and its mark: the number of its replays, or 1 for an active version; empty for none. */
type StoredText = readonly [text: string, mark: string]

/** The reply of `READ_RECORDS`. */
type Slice = readonly [generation: string, texts: readonly string[], marks: readonly string[]]

/** A version of a prompt as it is stored; the first one has its prompt. */
export interface StoredVersion {
  readonly promptId: string
  readonly prompt?: Omit<PromptHead, 'promptId'>
  readonly repeatOf?: string
  /** Without `componentIds` they are derived. */
  readonly version: Omit<PromptVersion, 'componentIds'> & Partial<Pick<PromptVersion, 'componentIds'>>
}

/** A sandbox at one moment, with the numbers of its records. */
interface Source {
  readonly scripts: SandboxScripts
  readonly sandbox: string
  readonly generation: string
  readonly events: number
  readonly versions: number
}

/** Reads the present moment of a sandbox, and fields of its head. */
async function openSource(scripts: SandboxScripts, sandbox: string, ...names: readonly string[]) {
  const counts = [countField('events'), countField('versions')]
  const read = await scripts.readFields(sandbox, 'generation', ...counts, ...names)
  const [generation = '', events, versions, ...fields] = read
  return { source: { scripts, sandbox, generation, events: Number(events), versions: Number(versions) }, fields }
}

/** Reads a page of the events that match a query. Without a filter only the page is read, with one all events are. */
export async function listEvents(scripts: SandboxScripts, sandbox: string, query: EventQuery): Promise<EventPage> {
  const { offset = 0, limit = Number.MAX_SAFE_INTEGER, order } = query
  const { source } = await openSource(scripts, sandbox)
  const matches = createTest(query)
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

export async function listPrompts(scripts: SandboxScripts, sandbox: string): Promise<readonly StoredPrompt[]> {
  return readPrompts((await openSource(scripts, sandbox)).source)
}

export async function exportSandbox(scripts: SandboxScripts, sandbox: string): Promise<SandboxReading> {
  const names = plainCollections().map(({ name }) => recordsField(name))
  const { source, fields } = await openSource(scripts, sandbox, 'quality', ...names)
  const [quality, ...lists] = fields
  const records = plainCollections().map(({ name }, index) => [name, parseField(sandbox, 'records', lists[index], [])])
  return {
    format: EXPORT_FORMAT,
    quality: Object.freeze(parseField(sandbox, 'quality settings', quality, DEFAULT_QUALITY)),
    events: readEvents(source),
    prompts: await readPrompts(source),
    ...Object.fromEntries(records),
  }
}

async function* readEvents(source: Source, order?: EventQuery['order'], offset = 0, limit = source.events) {
  const end = Math.min(offset + limit, source.events)
  const first = order === 'newest' ? source.events - 1 - offset : offset
  for await (const [text, replays] of readRecords(source, 'events', first, end - offset, order === 'newest' ? -1 : 1))
    yield parseStoredEvent(source.sandbox, text, replays)
}

/** Reads records in slices. Throws if they were replaced meanwhile, by an import, a reset or a restore. */
async function* readRecords(
  { scripts, sandbox, generation }: Source,
  kind: 'events' | 'versions',
  first: number,
  count: number,
  step = 1,
): AsyncGenerator<StoredText> {
  for (let read = 0; read < count; ) {
    const reply = await scripts.run(READ_RECORDS, sandbox, kind, first + read * step, count - read, step)
    const [present, texts, marks] = reply as unknown as Slice // which the script returns
    if (present !== generation)
      throw new StoreUnavailableError(
        `The sandbox "${sandbox}" was replaced while it was read; send the request again.`,
      )
    for (const [index, text] of texts.entries()) yield [text, marks[index] ?? '']
    read += texts.length
  }
}

export function parseStoredEvent(sandbox: string, text: RedisReply | undefined, replays: RedisReply | undefined) {
  return { ...parseStoredJson<StoredEvent>(sandbox, 'events', text), replays: Number(replays) }
}

/** Reads all prompts: the versions of one may be anywhere in the list. */
async function readPrompts(source: Source): Promise<readonly StoredPrompt[]> {
  const { sandbox, versions } = source
  const found = new Map<string, PromptHead & { readonly versions: PromptVersion[] }>()
  for await (const [text, mark] of readRecords(source, 'versions', 0, versions)) {
    const stored: StoredVersion = parseStoredJson(sandbox, 'prompts', text)
    const { promptId, prompt, repeatOf, version } = stored
    const repeat = repeatOf !== undefined && { repeatOf }
    const known = found.get(promptId) ?? { promptId, ...prompt, ...repeat, versions: [] }
    found.set(promptId, known)
    const { versionId, fields, componentIds = deriveComponentIds(versionId, componentsOf(fields).length) } = version
    known.versions.push({ ...version, componentIds, active: mark === '1' })
  }
  return [...found.values()]
}
