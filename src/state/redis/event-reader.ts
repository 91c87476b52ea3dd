import { createTest } from '../queries.ts'
import { EXPORT_FORMAT, type StoredEvent } from '../records.ts'
import { type EventPage, type EventQuery, type SandboxExport, StoreUnavailableError } from '../store.ts'
import { READ_EVENTS } from './lua/event-scripts.ts'
import { type EventCut, readContent } from './read-content.ts'
import { type Argument, readJson, type SandboxScripts } from './sandbox-scripts.ts'

/** The bytes of one slice, which Redis and a process handle in a few milliseconds. */
const SLICE_BYTES = 256 * 1024

/** The number of times that a reading begins anew since the sandbox was reset, restored or saved meanwhile. */
const MAX_READINGS = 20

/** A slice of events, with the cut of the moment when it was read. */
interface EventSlice extends EventCut {
  /** The places of the wanted events. */
  readonly from: number
  readonly to: number
  readonly events: readonly StoredEvent[]
}

/** Reads a page of the events that match a query, in slices, as they were when the first slice was read. */
export function listEvents(scripts: SandboxScripts, sandbox: string, query: EventQuery): Promise<EventPage> {
  return readUndisturbed(sandbox, () => readEvents(scripts, sandbox, query))
}

/** Reads all that a sandbox has, as it was at one moment. */
export function exportSandbox(scripts: SandboxScripts, sandbox: string): Promise<SandboxExport> {
  return readUndisturbed(sandbox, async () => {
    const { quality, prompts, records, cut } = await readContent(scripts, sandbox)
    const page = await readEvents(scripts, sandbox, { limit: cut.total }, cut)
    return page && { format: EXPORT_FORMAT, quality, events: page.events, prompts, ...records }
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

/** Reads the events of a cut, by default of the first slice. Returns undefined if the data were replaced meanwhile. */
async function readEvents(
  scripts: SandboxScripts,
  sandbox: string,
  query: EventQuery,
  cut?: EventCut,
): Promise<EventPage | undefined> {
  const passes = createTest(query)
  const first = await readSlice(scripts, sandbox, findFirst(query, passes === undefined), cut?.logged ?? '')
  const found = await readAll(scripts, sandbox, first, cut ?? first, passes)
  if (found === undefined) return undefined
  const { order = 'oldest', offset = 0, limit = found.length } = query
  if (order === 'newest') found.reverse()
  if (passes === undefined) return { events: found, total: (cut ?? first).total }
  return { events: found.slice(offset, offset + limit), total: found.length }
}

/** Reads the first slice and all others. Returns undefined if another segment is open, or its log began anew. */
async function readAll(
  scripts: SandboxScripts,
  sandbox: string,
  first: EventSlice,
  { open, logged }: EventCut,
  passes: (event: StoredEvent) => boolean = () => true,
): Promise<StoredEvent[] | undefined> {
  const found: StoredEvent[] = []
  let place = first.from
  for (let slice = first; slice.open === open && slice.logged >= logged; ) {
    found.push(...slice.events.filter(passes))
    place += slice.events.length
    if (place >= first.to) return found
    if (slice.events.length === 0) return undefined
    slice = await readSlice(scripts, sandbox, ['oldest', place, first.to - place], logged)
  }
  return undefined
}

/** Returns the arguments of the first slice. Without a filter only the page is read, with one all events are. */
function findFirst(
  { order = 'oldest', offset = 0, limit, insertId }: EventQuery,
  isPage: boolean,
): readonly Argument[] {
  if (insertId !== undefined) return ['insertId', JSON.stringify(insertId), 1]
  return isPage ? [order, offset, limit ?? Number.MAX_SAFE_INTEGER] : ['oldest', 0, Number.MAX_SAFE_INTEGER]
}

async function readSlice(
  scripts: SandboxScripts,
  sandbox: string,
  args: readonly Argument[],
  logged: number | '',
): Promise<EventSlice> {
  const reply = await scripts.run(READ_EVENTS, sandbox, [...args, SLICE_BYTES, logged])
  const [total = 0, length = 0, from = 0, to = 0] = reply.slice(1, 5).map(Number)
  const events: StoredEvent[] = []
  for (let at = 5; at < reply.length; at += 2)
    events.push({ ...readJson<StoredEvent>(sandbox, 'events', reply[at]), replays: Number(reply[at + 1]) })
  return { open: String(reply[0]), total, logged: length, from, to, events }
}
