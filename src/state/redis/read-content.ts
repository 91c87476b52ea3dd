/**
 * Reads the records of a sandbox in slices, between which others get their turn. Those that are recorded meanwhile are
 * left out; the replays of an event are those of its slice. Data before and after an import are never mixed.
 */
import { resume } from '../../base/core/slices.ts'
import { plainCollections } from '../collections/index.ts'
import { componentsOf, deriveComponentIds, type PromptHead } from '../prompts.ts'
import { type EventSource, listEvents as findPage } from '../queries.ts'
import { DEFAULT_QUALITY, EXPORT_FORMAT, type PromptVersion, type StoredEvent, type StoredPrompt } from '../records.ts'
import { type EventPage, type EventQuery, type Records, type SandboxReading, StoreUnavailableError } from '../store.ts'
import type { RedisReply } from './connection.ts'
import { countField, recordsField, sandboxKeys } from './keys.ts'
import { READ_RECORDS } from './lua/record-scripts.ts'
import { parseField, parseStoredJson, type SandboxScripts } from './sandbox-scripts.ts'

/** The bytes of one slice, which Redis and a process handle in a few milliseconds. */
const SLICE_BYTES = 256 * 1024

/** The number of times that a reading begins again since data were replaced or versions activated. */
const MAX_READINGS = 20

/** The data of a sandbox were replaced between two slices. */
class ReplacedError extends StoreUnavailableError {
  constructor(sandbox: string) {
    super(`The sandbox "${sandbox}" was changed again and again while it was read; send the request again.`)
  }
}

/** A sandbox to read, and the fields of its head at the moment that is read. */
interface Source {
  readonly scripts: SandboxScripts
  readonly sandbox: string
  readonly generation: string
  readonly activations: string
  readonly events: number
  readonly versions: number
  readonly quality: string
  /** The records of each plain collection as texts. */
  readonly plain: readonly string[]
}

/** A slice of records, as the script returns it. */
type Slice = readonly [generation: string, texts: readonly RedisReply[], marks: readonly RedisReply[]]

/** A version of a prompt as it is stored; the first one has its prompt. */
export interface StoredVersion {
  readonly promptId: string
  readonly prompt?: Omit<PromptHead, 'promptId'>
  readonly repeatOf?: string
  /** Without `componentIds` they are derived. */
  readonly version: Omit<PromptVersion, 'componentIds'> & Partial<Pick<PromptVersion, 'componentIds'>>
}

/** Parses a stored event. */
export function parseStoredEvent(sandbox: string, text: RedisReply | undefined, replays: RedisReply | undefined) {
  return { ...parseStoredJson<StoredEvent>(sandbox, 'events', text), replays: Number(replays) }
}

/** Reads a page of the events that match a query. Without a filter only the page is read, with one all events are. */
export function listEvents(scripts: SandboxScripts, sandbox: string, query: EventQuery): Promise<EventPage> {
  const { insertId } = query
  return readUndisturbed(scripts, sandbox, async (source) => {
    const candidates = insertId === undefined ? undefined : await findPlaces(source, insertId)
    const { events, total } = await findPage(createEventSource(source), query, candidates)
    return { events: await begin(events), total }
  })
}

/** Returns the place of the event with this `insertId`, and the place behind it; no places if there is no event. */
async function findPlaces({ scripts, sandbox, events }: Source, insertId: string): Promise<[number, number]> {
  const { connection, prefix } = scripts
  const index = `${sandboxKeys(prefix, sandbox)}index`
  const place = Number((await connection.call('hget', index, `event named ${JSON.stringify(insertId)}`)) ?? events)
  return [place, Math.min(place + 1, events)]
}

/** Lists the prompts with their versions, which are all read before: those of a prompt may be anywhere in the list. */
export function listPrompts(scripts: SandboxScripts, sandbox: string): Promise<readonly StoredPrompt[]> {
  return readUndisturbed(scripts, sandbox, readPrompts)
}

/** Reads all that a sandbox has. */
export function exportSandbox(scripts: SandboxScripts, sandbox: string): Promise<SandboxReading> {
  return readUndisturbed(scripts, sandbox, async (source) => {
    const prompts = await readPrompts(source)
    const events = await begin(createEventSource(source).read(0, source.events))
    const quality = Object.freeze(parseField(sandbox, 'quality settings', source.quality, DEFAULT_QUALITY))
    const records = plainCollections().map(({ name }, index) => [
      name,
      parseField(sandbox, 'records', source.plain[index], []),
    ])
    return { format: EXPORT_FORMAT, quality, events, prompts, ...Object.fromEntries(records) }
  })
}

/** Reads the present moment of a sandbox, and begins again if the data were replaced meanwhile. */
async function readUndisturbed<T>(
  scripts: SandboxScripts,
  sandbox: string,
  read: (source: Source) => Promise<T>,
): Promise<T> {
  const names = ['generation', 'activations', countField('events'), countField('versions'), 'quality']
  const plainNames = plainCollections().map(({ name }) => recordsField(name))
  for (let readings = 0; readings < MAX_READINGS; readings += 1) {
    const fields = await scripts.readFields(sandbox, ...names, ...plainNames)
    const [generation = '', activations = '', events, versions, quality = '', ...plain] = fields
    const numbers = { events: Number(events), versions: Number(versions) }
    try {
      return await read({ scripts, sandbox, generation, activations, ...numbers, quality, plain })
    } catch (error) {
      if (!(error instanceof ReplacedError)) throw error
    }
  }
  throw new ReplacedError(sandbox)
}

/** Reads the first record at once: if the data were replaced before it, the reading begins again. */
async function begin<Item>(records: Records<Item>): Promise<Records<Item>> {
  const iterator = Symbol.asyncIterator in records ? records[Symbol.asyncIterator]() : records[Symbol.iterator]()
  const { done, value } = await iterator.next()
  return done ? [] : resume(value, iterator)
}

function createEventSource(source: Source): EventSource {
  return {
    size: source.events,
    async *read(from, to) {
      for await (const [text, replays] of readRecords(source, 'events', from, to))
        yield parseStoredEvent(source.sandbox, text, replays)
    },
  }
}

async function readPrompts(source: Source): Promise<readonly StoredPrompt[]> {
  const found = new Map<string, PromptHead & { readonly versions: PromptVersion[] }>()
  for await (const [text, mark] of readRecords(source, 'versions', 0, source.versions)) {
    const stored: StoredVersion = parseStoredJson(source.sandbox, 'prompts', text)
    const { promptId, prompt, repeatOf, version } = stored
    const known = found.get(promptId) ?? {
      promptId,
      ...prompt,
      ...(repeatOf !== undefined && { repeatOf }),
      versions: [],
    }
    found.set(promptId, known)
    const { versionId, fields, componentIds = deriveComponentIds(versionId, componentsOf(fields).length) } = version
    known.versions.push({ ...version, componentIds, active: mark === 1 })
  }
  return [...found.values()]
}

/** Yields the records between two places with their marks. Throws a `ReplacedError` if the moment is over. */
async function* readRecords(
  { scripts, sandbox, generation, activations }: Source,
  kind: 'events' | 'versions',
  from: number,
  to: number,
): AsyncGenerator<readonly [text: RedisReply | undefined, mark: RedisReply | undefined]> {
  for (let place = from; place < to; ) {
    const slice = await scripts.run(READ_RECORDS, sandbox, [kind, place, to, SLICE_BYTES])
    const [present, texts, marks] = slice as Slice // the script returns these
    if (present !== (kind === 'events' ? generation : `${generation} ${activations}`)) throw new ReplacedError(sandbox)
    for (const [index, text] of texts.entries()) yield [text, marks[index]]
    place += texts.length
  }
}
