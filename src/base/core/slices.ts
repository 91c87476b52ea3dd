/** Splits long-running work into slices of about 10 ms, so that other requests are handled in between. */
import { monotonicNow, nextTurn } from './timers.ts'

/** The milliseconds of work after which other requests are handled. */
const sliceMs = 10

/** The milliseconds of work, excluding pauses, after which `visitInSlices` gives up. */
export const maxWorkMs = 5000

/** The target length of a chunk of text, in characters. */
const chunkLength = 64 * 1024

/** The work for one request, in slices. Run `if (work.isPauseDue) await work.pause()` every few milliseconds. */
export class SlicedWork {
  readonly #elapsed: () => number
  #sliceStart: number
  /** The milliseconds of work before the current slice. */
  workedMs = 0

  /** `elapsed` returns the milliseconds since a fixed point in time. */
  constructor(elapsed: () => number = monotonicNow) {
    this.#elapsed = elapsed
    this.#sliceStart = elapsed()
  }

  get isPauseDue(): boolean {
    return this.#elapsed() - this.#sliceStart >= sliceMs
  }

  async pause(): Promise<void> {
    this.workedMs += this.#elapsed() - this.#sliceStart
    await letOthersRun()
    this.#sliceStart = this.#elapsed()
  }
}

export async function* inSlices<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  const work = new SlicedWork()
  for await (const item of items) {
    yield item
    if (work.isPauseDue) await work.pause()
  }
}

/** Joins pieces of text into chunks, between which other requests can be handled. Pieces are not split. */
export async function* chunksInSlices(
  pieces: Iterable<string> | AsyncIterable<string>,
  work: SlicedWork = new SlicedWork(),
): AsyncGenerator<string> {
  let chunk = ''
  await work.pause() // earlier work for the request may have taken a long time
  for await (const piece of pieces) {
    chunk += piece
    if (chunk.length < chunkLength && !work.isPauseDue) continue
    yield chunk
    chunk = ''
    if (work.isPauseDue) await work.pause()
  }
  if (chunk !== '') yield chunk
}

export async function* mapEach<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  convert: (item: Item) => Result,
): AsyncGenerator<Result> {
  for await (const item of items) yield convert(item)
}

/** Calls `visit` for each item, in slices. Returns false if the work was abandoned after `maxWorkMs`. */
export async function visitInSlices<Item>(
  items: readonly Item[],
  elapsed: () => number,
  visit: (item: Item) => void,
): Promise<boolean> {
  const work = new SlicedWork(elapsed)
  await work.pause() // reading the request may have taken a long time
  for (const item of items) {
    if (work.isPauseDue) await work.pause()
    if (work.workedMs > maxWorkMs) return false
    visit(item)
  }
  return true
}

let lastPause: Promise<void> = Promise.resolve()

function letOthersRun(): Promise<void> {
  lastPause = lastPause.then(waitForSocketReads)
  return lastPause
}

async function waitForSocketReads(): Promise<void> {
  await nextTurn()
  await nextTurn() // a second turn, since an immediate that is set during a read runs before the next read
}
