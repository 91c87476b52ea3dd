import { createTest } from '../queries.ts'
import { EXPORT_FORMAT, type StoredEvent } from '../records.ts'
import { type EventPage, type EventQuery, type SandboxExport, StoreUnavailableError } from '../store.ts'
import { READ_EVENTS } from './lua/event-scripts.ts'
import { type EventCut, readContent } from './read-content.ts'
import { type Argument, readJson, type SandboxScripts } from './sandbox-scripts.ts'

/** The bytes of one slice, which Redis and a process handle in a few milliseconds. */
const SLICE_BYTES = 256 * 1024

/** The number of replays that are read at once. */
const REPLAYS_AT_ONCE = 10_000

/** The number of times that a reading begins anew since the sandbox was reset, restored or saved meanwhile. */
const MAX_READINGS = 20

/** A slice of events, with the cut of the moment when it was read. */
interface EventSlice extends EventCut {
  /** The places of the wanted events. */
  readonly from: number
  readonly to: number
  readonly events: Mutable<StoredEvent>[]
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }

/** An event of a reading that is not over. */
interface ReadEvent {
  readonly event: Mutable<StoredEvent>
  readonly place: number
  /** The length of the log of replays when the event was read. */
  readonly logged: number
}

/** Reads a page of the events that match a query, in slices, as they were when the first slice was read. */
export async function listEvents(scripts: SandboxScripts, sandbox: string, query: EventQuery): Promise<EventPage> {
  return readUndisturbed(sandbox, () => new EventReading(scripts, sandbox, query).read())
}

/** Reads all that a sandbox has, as it was at one moment. */
export async function exportSandbox(scripts: SandboxScripts, sandbox: string): Promise<SandboxExport> {
  return readUndisturbed(sandbox, async () => {
    const { quality, prompts, records, cut } = await readContent(scripts, sandbox)
    const page = await new EventReading(scripts, sandbox, {}, cut).read()
    if (page === undefined) return undefined
    return { format: EXPORT_FORMAT, quality, events: page.events, prompts, ...records }
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

class EventReading {
  readonly #scripts: SandboxScripts
  readonly #sandbox: string
  readonly #query: EventQuery
  readonly #passes: ((event: StoredEvent) => boolean) | undefined
  readonly #cut: EventCut | undefined
  readonly #found: ReadEvent[] = []

  /** `cut`: the events of an earlier moment; default: those of the first slice. */
  constructor(scripts: SandboxScripts, sandbox: string, query: EventQuery, cut?: EventCut) {
    this.#scripts = scripts
    this.#sandbox = sandbox
    this.#query = query
    this.#cut = cut
    this.#passes = createTest(query)
  }

  /** Returns undefined if the data were replaced meanwhile. */
  async read(): Promise<EventPage | undefined> {
    const { order = 'oldest' } = this.#query
    const first = await this.#readSlice(this.#firstArguments())
    const cut = this.#cut ?? first
    const logged = await this.#readAll(first, cut)
    if (logged === undefined || !(await this.#takeBack(cut, logged))) return undefined
    const found = this.#found.map(({ event }) => event)
    if (order === 'newest') found.reverse()
    if (this.#passes === undefined) return { events: found, total: cut.total }
    const { offset = 0, limit = found.length } = this.#query
    return { events: found.slice(offset, offset + limit), total: found.length }
  }

  /** Without a filter only the page is read, with one all events are. */
  #firstArguments(): readonly Argument[] {
    const { order = 'oldest', offset = 0, insertId } = this.#query
    const limit = this.#query.limit ?? this.#cut?.total ?? Number.MAX_SAFE_INTEGER
    if (insertId !== undefined) return ['insertId', JSON.stringify(insertId), 1]
    return this.#passes === undefined ? [order, offset, limit] : ['oldest', 0, Number.MAX_SAFE_INTEGER]
  }

  /** Reads all slices. Returns the length of the log of replays at the last one; undefined: the data were replaced. */
  async #readAll(first: EventSlice, cut: EventCut): Promise<number | undefined> {
    let slice = first
    for (let place = first.from; slice.open === cut.open; ) {
      this.#add(slice, place)
      place += slice.events.length
      if (place >= first.to) return slice.logged < cut.logged ? undefined : slice.logged // the log began anew
      slice = await this.#readSlice(['oldest', place, first.to - place])
      if (slice.events.length === 0) return undefined
    }
    return undefined
  }

  async #readSlice(args: readonly Argument[]): Promise<EventSlice> {
    const reply = await this.#scripts.run(READ_EVENTS, this.#sandbox, [...args, SLICE_BYTES])
    const [open, total, logged, from, to, ...texts] = reply
    const events: Mutable<StoredEvent>[] = []
    for (let at = 0; at < texts.length; at += 2) {
      const event: Mutable<StoredEvent> = readJson(this.#sandbox, 'events', texts[at])
      event.replays = Number(texts[at + 1])
      events.push(event)
    }
    return {
      open: String(open),
      total: Number(total),
      logged: Number(logged),
      from: Number(from),
      to: Number(to),
      events,
    }
  }

  #add({ events, logged }: EventSlice, from: number): void {
    for (const [index, event] of events.entries())
      if (this.#passes?.(event) !== false) this.#found.push({ event, place: from + index, logged })
  }

  /** Takes back the replays that were counted since the cut. Returns false if the data were replaced. */
  async #takeBack(cut: EventCut, logged: number): Promise<boolean> {
    const byPlace = new Map<number, ReadEvent>()
    if (logged > cut.logged) for (const read of this.#found) byPlace.set(read.place, read)
    const key = this.#scripts.key(this.#sandbox, 'replay-log', cut.open)
    for (let from = cut.logged; from < logged; from += REPLAYS_AT_ONCE) {
      const to = Math.min(logged, from + REPLAYS_AT_ONCE)
      const places = (await this.#scripts.connection.call('lrange', key, from, to - 1)) as string[]
      if (places.length < to - from) return false
      for (const [index, place] of places.entries()) {
        const read = byPlace.get(Number(place))
        if (read && from + index < read.logged) read.event.replays -= 1
      }
    }
    return true
  }
}
