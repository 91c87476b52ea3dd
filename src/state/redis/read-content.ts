/** Reads the records of a sandbox, as they are at one moment. */
import { inSlices } from '../../base/core/slices.ts'
import { plainCollections } from '../collections/index.ts'
import { componentsOf, deriveComponentIds, type PromptHead } from '../collections/prompts.ts'
import { createTest } from '../queries.ts'
import { DEFAULT_QUALITY, EXPORT_FORMAT, type PromptVersion, type StoredEvent, type StoredPrompt } from '../records.ts'
import { type EventPage, type EventQuery, type SandboxReading, StoreUnavailableError } from '../store.ts'
import type { RedisReply } from './connection.ts'
import { recordsField } from './keys.ts'
import { READ_RECORDS } from './lua/record-scripts.ts'
import { parseField, parseStoredJson, type SandboxScripts } from './sandbox-scripts.ts'

/** Records, and for each the number of its replays, or 1 for an active version. */
type StoredTexts = readonly [texts: readonly (string | null)[], marks: readonly (string | null)[]]

/** The reply of `READ_RECORDS`. */
type Reply = readonly [total: number, events: StoredTexts[], versions: StoredTexts[], head: string[]]

const joinLists = (lists: readonly StoredTexts[]): StoredTexts => [
  lists.flatMap(([texts]) => texts),
  lists.flatMap(([, marks]) => marks),
]

/** A version of a prompt as it is stored; the first one has its prompt. */
export interface StoredVersion {
  readonly promptId: string
  readonly prompt?: Omit<PromptHead, 'promptId'>
  readonly repeatOf?: string
  /** Without `componentIds` they are derived. */
  readonly version: Omit<PromptVersion, 'componentIds'> & Partial<Pick<PromptVersion, 'componentIds'>>
}

/** The number of events of a slice, which Redis and a process handle in a few milliseconds. */
const sliceLength = 100

/** Reads a page of events, and what else is wanted: all prompts, fields of the head. */
async function read(
  scripts: SandboxScripts,
  sandbox: string,
  { offset = 0, limit = Number.MAX_SAFE_INTEGER }: EventQuery,
  withPrompts = false,
  ...fields: readonly string[]
) {
  const reply = await scripts.run(READ_RECORDS, sandbox, offset, limit, String(withPrompts), ...fields)
  const [total, events, versions, head] = reply as unknown as Reply
  return { total, events: joinLists(events), versions: joinLists(versions), head }
}

/** Reads a page of the events that match a query. Without a filter only the page is read, with one all events are. */
export async function listEvents(scripts: SandboxScripts, sandbox: string, query: EventQuery): Promise<EventPage> {
  const { offset = 0, limit = Number.MAX_SAFE_INTEGER, order = 'oldest' } = query
  const source = { scripts, sandbox, ...(await read(scripts, sandbox, { limit: 0 }, false, 'generation')) }
  const matches = createTest(query)
  if (!matches) return { events: readEvents(source, order, offset, limit), total: source.total }
  const events: StoredEvent[] = []
  let total = 0
  for await (const event of readEvents(source, order)) {
    if (!matches(event)) continue
    if (total >= offset && events.length < limit) events.push(event)
    total += 1
  }
  return { events, total }
}

/** The events of a sandbox at one moment. */
interface EventSource {
  readonly scripts: SandboxScripts
  readonly sandbox: string
  readonly total: number
  /** The fields of the head, the first of which is the generation of the data. */
  readonly head: readonly string[]
}

/** Reads events in slices. Throws if they were replaced meanwhile, by an import, a reset or a restore. */
async function* readEvents(
  { scripts, sandbox, total, head }: EventSource,
  order: 'oldest' | 'newest',
  offset = 0,
  limit = total,
) {
  const end = Math.min(offset + limit, total)
  for (let place = offset; place < end; place += sliceLength) {
    const length = Math.min(sliceLength, end - place)
    const first = order === 'newest' ? total - place - length : place
    const { events, head: now } = await read(scripts, sandbox, { offset: first, limit: length }, false, 'generation')
    if (now[0] !== head[0])
      throw new StoreUnavailableError(
        `The sandbox "${sandbox}" was replaced while it was read; send the request again.`,
      )
    const parsed = Array.from(events[0].keys(), (index) => parseEvent(sandbox, events, index))
    yield* order === 'newest' ? parsed.reverse() : parsed
  }
}

export async function listPrompts(scripts: SandboxScripts, sandbox: string): Promise<readonly StoredPrompt[]> {
  return parsePrompts(sandbox, (await read(scripts, sandbox, { limit: 0 }, true)).versions)
}

export async function exportSandbox(scripts: SandboxScripts, sandbox: string): Promise<SandboxReading> {
  const fields = plainCollections().map(({ name }) => recordsField(name))
  const { versions, ...moment } = await read(scripts, sandbox, { limit: 0 }, true, 'generation', 'quality', ...fields)
  const [, quality, ...lists] = moment.head
  const records = plainCollections().map(({ name }, index) => [name, parseField(sandbox, 'records', lists[index], [])])
  return {
    format: EXPORT_FORMAT,
    quality: Object.freeze(parseField(sandbox, 'quality settings', quality, DEFAULT_QUALITY)),
    events: readEvents({ scripts, sandbox, ...moment }, 'oldest'),
    prompts: await parsePrompts(sandbox, versions),
    ...Object.fromEntries(records),
  }
}

function parseEvent(sandbox: string, [texts, replays]: StoredTexts, index: number): StoredEvent {
  return parseStoredEvent(sandbox, texts[index], replays[index])
}

export function parseStoredEvent(sandbox: string, text: RedisReply | undefined, replays: RedisReply | undefined) {
  return { ...parseStoredJson<StoredEvent>(sandbox, 'events', text), replays: Number(replays) }
}

/** Parses the versions of all prompts, in slices, between which other requests are handled. */
async function parsePrompts(sandbox: string, [texts, marks]: StoredTexts): Promise<readonly StoredPrompt[]> {
  const found = new Map<string, PromptHead & { readonly versions: PromptVersion[] }>()
  for await (const [index, text] of inSlices(texts.entries())) {
    const stored: StoredVersion = parseStoredJson(sandbox, 'prompts', text)
    const { promptId, prompt, repeatOf, version } = stored
    const repeat = repeatOf !== undefined && { repeatOf }
    const known = found.get(promptId) ?? { promptId, ...prompt, ...repeat, versions: [] }
    found.set(promptId, known)
    const { versionId, fields, componentIds = deriveComponentIds(versionId, componentsOf(fields).length) } = version
    known.versions.push({ ...version, componentIds, active: marks[index] === '1' })
  }
  return [...found.values()]
}
