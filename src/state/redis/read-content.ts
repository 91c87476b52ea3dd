/** Reads the records of a sandbox in slices, between which others get their turn, as they were at one moment. */
import { plainCollections } from '../collections/index.ts'
import { componentsOf, deriveComponentIds, type PromptHead } from '../prompts.ts'
import { createTest } from '../queries.ts'
import { EXPORT_FORMAT, type PromptVersion, type StoredEvent, type StoredPrompt } from '../records.ts'
import { type EventPage, type EventQuery, type SandboxExport, StoreUnavailableError } from '../store.ts'
import type { Argument, RedisReply } from './connection.ts'
import { parseQuality, parseRecords } from './head-fields.ts'
import { recordsField } from './keys.ts'
import { READ_RECORDS } from './lua/record-scripts.ts'
import { parseStoredJson, type SandboxScripts } from './sandbox-scripts.ts'

/** The bytes of one slice, which Redis and a process handle in a few milliseconds. */
const SLICE_BYTES = 256 * 1024

/** The number of times that a reading begins anew since the sandbox was reset, restored or saved meanwhile. */
const MAX_READINGS = 20

/** The data of a sandbox were replaced between two slices. */
class ReplacedError extends Error {}

/** The sandbox to read, and the first slice of a reading, which is the moment that is read. */
interface Source {
  readonly scripts: SandboxScripts
  readonly sandbox: string
  readonly moment?: Slice
}

/** The places of the wanted records: their order, the number to skip or an `insertId`, and the largest number. */
type Wanted = readonly [order: 'oldest' | 'newest' | 'insertId', offset: Argument, limit: number]

const EVERYTHING: Wanted = ['oldest', 0, Number.MAX_SAFE_INTEGER]

/** A slice of records as the script returns it. */
type Slice = readonly [
  generation: string,
  /** The number of all replays so far. */
  replayed: number,
  /** The number of all events. */
  total: number,
  /** The places of the wanted records. */
  from: number,
  to: number,
  texts: readonly RedisReply[],
  replays: readonly RedisReply[],
  /** The quality settings and the records of each plain collection as texts; empty for absent ones. */
  fields: readonly string[],
]

/** A change of the prompts: a version with its new prompt or without, or the id of an active version. */
export interface StoredPromptChange {
  readonly promptId: string
  readonly prompt?: Omit<PromptHead, 'promptId'>
  readonly repeatOf?: string
  /** Without `componentIds` they are derived. */
  readonly version?: Omit<PromptVersion, 'componentIds'> & Partial<Pick<PromptVersion, 'componentIds'>>
  readonly active?: string
}

/** Parses a stored event. */
export function parseStoredEvent(sandbox: string, text: RedisReply | undefined, replays: RedisReply | undefined) {
  return { ...parseStoredJson<StoredEvent>(sandbox, 'events', text), replays: Number(replays) }
}

/** Reads a page of the events that match a query. Without a filter only the page is read, with one all events are. */
export function listEvents(scripts: SandboxScripts, sandbox: string, query: EventQuery): Promise<EventPage> {
  const { order = 'oldest', offset = 0, limit = Number.MAX_SAFE_INTEGER, insertId } = query
  const passes = createTest(query)
  const page: Wanted = passes ? EVERYTHING : [order, offset, limit]
  const wanted: Wanted = insertId === undefined ? page : ['insertId', JSON.stringify(insertId), 1]
  return readUndisturbed(scripts, sandbox, async (source) => {
    const { events, moment } = await readEvents(source, wanted, passes)
    if (order === 'newest') events.reverse()
    return passes
      ? { events: events.slice(offset, offset + limit), total: events.length }
      : { events, total: moment[2] }
  })
}

/** Lists the prompts with their versions. */
export function listPrompts(scripts: SandboxScripts, sandbox: string): Promise<readonly StoredPrompt[]> {
  return readUndisturbed(scripts, sandbox, async (source) => (await readPrompts(source)).prompts)
}

/** Reads all that a sandbox has. */
export function exportSandbox(scripts: SandboxScripts, sandbox: string): Promise<SandboxExport> {
  return readUndisturbed(scripts, sandbox, async (source) => {
    const { prompts, moment } = await readPrompts(source)
    const { events } = await readEvents({ ...source, moment }, ['oldest', 0, moment[2]])
    const [quality = '', ...texts] = moment[7]
    const records = plainCollections().map(({ name }, index) => [name, parseRecords(sandbox, texts[index] ?? '')])
    const plain = Object.fromEntries(records)
    return { format: EXPORT_FORMAT, quality: parseQuality(sandbox, quality), events, prompts, ...plain }
  })
}

/** Reads again if the data were replaced meanwhile. */
async function readUndisturbed<T>(
  scripts: SandboxScripts,
  sandbox: string,
  read: (source: Source) => Promise<T>,
): Promise<T> {
  for (let readings = 0; readings < MAX_READINGS; readings += 1) {
    try {
      return await read({ scripts, sandbox })
    } catch (error) {
      if (!(error instanceof ReplacedError)) throw error
    }
  }
  throw new StoreUnavailableError(
    `The sandbox "${sandbox}" was replaced again and again while it was read; send the request again.`,
  )
}

/** Reads the wanted events that pass a test. */
async function readEvents(source: Source, wanted: Wanted, passes?: (event: StoredEvent) => boolean) {
  const events: StoredEvent[] = []
  const moment = await readRecords(source, 'events', wanted, (text, replays) => {
    const event = parseStoredEvent(source.sandbox, text, replays)
    if (!passes || passes(event)) events.push(event)
  })
  return { events, moment }
}

async function readPrompts(source: Source) {
  const found = new Map<string, { readonly head: PromptHead; readonly versions: PromptVersion[]; active?: string }>()
  const moment = await readRecords(source, 'prompts', EVERYTHING, (text) => {
    const change: StoredPromptChange = parseStoredJson(source.sandbox, 'prompts', text)
    const { promptId, prompt, repeatOf, version, active } = change
    const head = { promptId, ...prompt, ...(repeatOf !== undefined && { repeatOf }) }
    const known = found.get(promptId) ?? { head, versions: [] }
    found.set(promptId, known)
    if (version) {
      const { versionId, fields, componentIds = deriveComponentIds(versionId, componentsOf(fields).length) } = version
      known.versions.push({ ...version, componentIds })
    }
    if (active !== undefined) known.active = active
  })
  const prompts = Array.from(found.values(), ({ head, versions, active }): StoredPrompt => {
    return { ...head, versions: versions.map((each) => ({ ...each, active: each.versionId === active })) }
  })
  return { prompts, moment }
}

/**
 * Reads records, and calls `take` with each text and its number of replays. Returns the slice of the moment that they
 * are of. Throws a `ReplacedError` if that moment cannot be read any more.
 */
async function readRecords(
  { scripts, sandbox, ...source }: Source,
  kind: 'events' | 'prompts',
  wanted: Wanted,
  take: (text: RedisReply | undefined, replays: RedisReply | undefined) => void,
): Promise<Slice> {
  const fields = ['quality', ...plainCollections().map(({ name }) => recordsField(name))]
  let { moment } = source
  for (let next = wanted; ; ) {
    const args = [kind, ...next, SLICE_BYTES, moment?.[1] ?? '', ...(moment ? [] : fields)]
    const slice = (await scripts.run(READ_RECORDS, sandbox, args)) as unknown as Slice // the script returns these
    const [generation, , , from, to, texts, replays] = slice
    moment ??= slice
    if (moment[0] !== generation) throw new ReplacedError()
    for (const [index, text] of texts.entries()) take(text, replays[index])
    const place = from + texts.length
    if (place >= to) return moment
    next = ['oldest', place, to - place]
  }
}
