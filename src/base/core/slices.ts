/** Does long work in slices of about 10 ms, so that other requests are handled in between. */
import { monotonicNow, nextTurn } from './timers.ts'

/** The milliseconds of work after which other requests are handled. */
const sliceMs = 10

/** The milliseconds of work, excluding pauses, after which `visitInSlices` gives up. */
export const maxWorkMs = 5000

/** The target length of a chunk of text, in characters. */
const chunkLength = 64 * 1024

/** The work for one request, in slices. Run `if (work.isDue) await work.rest()` every few milliseconds of work. */
export class SlicedWork {
  readonly #now: () => number
  #since: number
  /** The milliseconds of work before the current slice. */
  workedMs = 0

  /** `now` returns the milliseconds since a fixed point in time. */
  constructor(now: () => number = monotonicNow) {
    this.#now = now
    this.#since = now()
  }

  get isDue(): boolean {
    return this.#now() - this.#since >= sliceMs
  }

  async rest(): Promise<void> {
    this.workedMs += this.#now() - this.#since
    await letOthersRun()
    this.#since = this.#now()
  }
}

export async function* inSlices<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  const work = new SlicedWork()
  for await (const item of items) {
    yield item
    if (work.isDue) await work.rest()
  }
}

/** Joins pieces of text into chunks, between which other requests can be handled. Pieces are not split. */
export async function* chunksInSlices(
  pieces: Iterable<string> | AsyncIterable<string>,
  work: SlicedWork = new SlicedWork(),
): AsyncGenerator<string> {
  let chunk = ''
  await work.rest() // earlier work for the request may have taken a long time
  for await (const piece of pieces) {
    chunk += piece
    if (chunk.length < chunkLength && !work.isDue) continue
    yield chunk
    chunk = ''
    if (work.isDue) await work.rest()
  }
  if (chunk !== '') yield chunk
}

export async function* mapEach<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  convert: (item: Item) => Result,
): AsyncGenerator<Result> {
  for await (const item of items) yield convert(item)
}

/**
 * Calls `visit` for each item, in slices between which other requests are handled. `elapsed` returns the milliseconds
 * since a fixed point in time. Returns false if the work was abandoned after `maxWorkMs`.
 */
export async function visitInSlices<Item>(
  items: readonly Item[],
  elapsed: () => number,
  visit: (item: Item) => void,
): Promise<boolean> {
  const work = new SlicedWork(elapsed)
  await work.rest() // reading the request may have taken a long time
  for (const item of items) {
    if (work.isDue) await work.rest()
    if (work.workedMs > maxWorkMs) return false
    visit(item)
  }
  return true
}

let lastSlice: Promise<void> = Promise.resolve()

function letOthersRun(): Promise<void> {
  lastSlice = lastSlice.then(readSockets)
  return lastSlice
}

/** Waits until sockets have been read. */
async function readSockets(): Promise<void> {
  await nextTurn()
  await nextTurn() // a second turn, since an immediate that is set during a read runs before the next read
}
