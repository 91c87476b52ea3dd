/** Reads the records of a sandbox in slices, between which others get their turn, as they were at one moment. */
import { deepFreeze } from '../clone.ts'
import { plainCollections } from '../collections/index.ts'
import type { PromptHead } from '../prompts.ts'
import { createTest } from '../queries.ts'
import { EXPORT_FORMAT, type PromptVersion, type StoredEvent, type StoredPrompt } from '../records.ts'
import { type EventPage, type EventQuery, type SandboxExport, StoreUnavailableError } from '../store.ts'
import type { RedisReply } from './connection.ts'
import { parseQuality, parseRecords } from './head.ts'
import { recordsField } from './keys.ts'
import { READ_RECORDS } from './lua/record-scripts.ts'
import { type Argument, readJson, type SandboxScripts } from './sandbox-scripts.ts'

/** The bytes of one slice, which Redis and a process handle in a few milliseconds. */
const SLICE_BYTES = 256 * 1024

/** The number of times that a reading begins anew since the sandbox was reset, restored or saved meanwhile. */
const MAX_READINGS = 20

/** A moment of a sandbox, of which records can be read later. */
interface Cut {
  /** The id of the open segment. Another one tells that the data were replaced. */
  readonly open: string
  /** The length of the open segment's log of replays. */
  readonly logged: number
}

/** A slice of records, as the script returns it. */
type Slice = readonly [
  open: string,
  logged: number,
  /** The number of all records of the kind. */
  total: number,
  /** The places of the wanted records. */
  from: number,
  to: number,
  texts: readonly RedisReply[],
  replays: readonly RedisReply[],
  /** The fields of the head that were asked for; empty for absent ones. */
  fields: readonly string[],
]

/** The moment of the first slice, with what was read of the head. */
interface FirstReading extends Cut {
  readonly total: number
  readonly fields: readonly string[]
}

/** A stored change of the prompts: a version with its new prompt or without, or the id of an active version. */
export interface StoredPromptChange {
  readonly promptId: string
  readonly prompt?: Omit<PromptHead, 'promptId'>
  readonly repeatOf?: string
  readonly version?: PromptVersion
  readonly active?: string
}

/** The records that a reading wants: their order, the number to skip or an `insertId`, and the largest number. */
type Wanted = readonly [order: 'oldest' | 'newest' | 'insertId', offset: Argument, limit: number]

const EVERYTHING: Wanted = ['oldest', 0, Number.MAX_SAFE_INTEGER]

/** Parses a stored event. */
export function parseEvent(
  sandbox: string,
  text: RedisReply | undefined,
  replays: RedisReply | undefined,
): StoredEvent {
  return { ...readJson<StoredEvent>(sandbox, 'events', text), replays: Number(replays) }
}

/** Reads a page of the events that match a query. Without a filter only the page is read, with one all events are. */
export function listEvents(scripts: SandboxScripts, sandbox: string, query: EventQuery): Promise<EventPage> {
  const { order = 'oldest', offset = 0, limit = Number.MAX_SAFE_INTEGER, insertId } = query
  const passes = createTest(query)
  const page: Wanted = passes ? EVERYTHING : [order, offset, limit]
  const wanted: Wanted = insertId === undefined ? page : ['insertId', JSON.stringify(insertId), 1]
  return readUndisturbed(sandbox, async () => {
    const found: StoredEvent[] = []
    const first = await readRecords(scripts, sandbox, { kind: 'events', wanted }, (text, replays) => {
      const event = parseEvent(sandbox, text, replays)
      if (!passes || passes(event)) found.push(event)
    })
    if (order === 'newest') found.reverse()
    if (first === undefined || !passes) return first && { events: found, total: first.total }
    return { events: found.slice(offset, offset + limit), total: found.length }
  })
}

/** Lists the prompts with their versions. */
export function listPrompts(scripts: SandboxScripts, sandbox: string): Promise<readonly StoredPrompt[]> {
  return readUndisturbed(sandbox, () => readPrompts(scripts, sandbox, EVERYTHING))
}

/** Reads all that a sandbox has. */
export function exportSandbox(scripts: SandboxScripts, sandbox: string): Promise<SandboxExport> {
  const plain = plainCollections().map(({ name }) => name)
  const fields = ['quality', 'prompt-changes', ...plain.map(recordsField)]
  return readUndisturbed(sandbox, async () => {
    const events: StoredEvent[] = []
    const request = { kind: 'events', wanted: EVERYTHING, fields } as const
    const cut = await readRecords(scripts, sandbox, request, (text, replays) => {
      events.push(parseEvent(sandbox, text, replays))
    })
    if (cut === undefined) return undefined
    const [quality = '', changes, ...texts] = cut.fields
    const prompts = await readPrompts(scripts, sandbox, ['oldest', 0, Number(changes)], cut)
    if (prompts === undefined) return undefined
    const records = plain.map((name, index) => [name, parseRecords(sandbox, texts[index] ?? '')] as const)
    const lists = Object.fromEntries(records)
    return { format: EXPORT_FORMAT, quality: parseQuality(sandbox, quality), events, prompts, ...lists }
  })
}

/** Reads again if the data were replaced meanwhile. */
async function readUndisturbed<T>(sandbox: string, read: () => Promise<T | undefined>): Promise<T> {
  for (let readings = 0; readings < MAX_READINGS; readings += 1) {
    const result = await read()
    if (result !== undefined) return result
  }
  throw new StoreUnavailableError(
    `The sandbox "${sandbox}" was replaced again and again while it was read; send the request again.`,
  )
}

/** Reads the prompts that so many changes lead to. Returns undefined if the data were replaced meanwhile. */
async function readPrompts(
  scripts: SandboxScripts,
  sandbox: string,
  wanted: Wanted,
  cut?: Cut,
): Promise<readonly StoredPrompt[] | undefined> {
  const found = new Map<string, { readonly head: PromptHead; readonly versions: PromptVersion[]; active?: string }>()
  const request = { kind: 'prompts', wanted, cut } as const
  const first = await readRecords(scripts, sandbox, request, (text) => {
    const change: StoredPromptChange = readJson(sandbox, 'prompts', text)
    const { promptId, prompt, repeatOf, version, active } = change
    const head = { promptId, ...prompt, ...(repeatOf !== undefined && { repeatOf }) }
    const known = found.get(promptId) ?? { head, versions: [] }
    found.set(promptId, known)
    if (version) known.versions.push(version)
    if (active !== undefined) known.active = active
  })
  return (
    first &&
    Array.from(found.values(), ({ head, versions, active }) =>
      deepFreeze({ ...head, versions: versions.map((each) => ({ ...each, active: each.versionId === active })) }),
    )
  )
}

/** The records to read, by default of the moment of the first slice, and fields of the head to read with them. */
interface ReadRequest {
  readonly kind: 'events' | 'prompts'
  readonly wanted: Wanted
  readonly cut?: Cut | undefined
  readonly fields?: readonly string[]
}

/**
 * Reads records, and calls `take` with each text and its number of replays. Returns what was read with the first slice,
 * or undefined if another segment is open, or its log began anew.
 */
async function readRecords(
  scripts: SandboxScripts,
  sandbox: string,
  { kind, wanted, cut, fields = [] }: ReadRequest,
  take: (text: RedisReply | undefined, replays: RedisReply | undefined) => void,
): Promise<FirstReading | undefined> {
  let first: FirstReading | undefined
  let next = wanted
  for (;;) {
    const known = cut ?? first
    const args = [kind, ...next, SLICE_BYTES, known?.logged ?? '', ...fields]
    const slice = (await scripts.run(READ_RECORDS, sandbox, args)) as unknown as Slice // the script returns these
    const [open, logged, total, from, to, texts, replays, read] = slice
    if (known && (known.open !== open || known.logged > logged)) return undefined
    first ??= { open, logged, total, fields: read }
    for (const [index, text] of texts.entries()) take(text, replays[index])
    const place = from + texts.length
    if (place >= to) return first
    next = ['oldest', place, to - place]
  }
}
