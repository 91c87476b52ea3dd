import { nextTurn } from '../core/timers.ts'

/** Milliseconds of work after which other requests get their turn. */
const sliceMs = 10

/** Milliseconds of work, apart from the turns of others, after which it is given up. */
export const maxWorkMs = 5000

/** Runs a slice of the work. It may break off at any point, and then returns false. */
type SliceRunner = (slice: () => void) => boolean

const runWhole: SliceRunner = (slice) => {
  slice()
  return true
}

/**
 * Calls `visit` for each item, in slices between which other requests are answered.
 * @param elapsed returns the milliseconds since any fixed time
 * @param visit has the same effect when it is repeated for an item, if `run` can break off
 * @param run by default runs a slice to its end; the item at which it breaks off is visited once more
 * @returns false where the work was given up: it takes more than `maxWorkMs`, or `run` breaks off twice at an item
 */
export async function visitInSlices<Item>(
  items: readonly Item[],
  elapsed: () => number,
  visit: (item: Item, index: number) => void,
  run: SliceRunner = runWhole,
): Promise<boolean> {
  let next = 0
  let brokenOffAt = -1
  let workMs = 0
  while (next < items.length) {
    await letOthersRun() // also before the first: the request that asks for the work may have taken long to read
    const start = elapsed()
    const isWhole = run(() => {
      do {
        visit(items[next] as Item, next) // below the length
        next += 1
      } while (next < items.length && elapsed() - start < sliceMs)
    })
    workMs += elapsed() - start
    const isStuck = !isWhole && brokenOffAt === next
    if (isStuck || workMs > maxWorkMs) return false
    if (!isWhole) brokenOffAt = next
  }
  return true
}

/** Waits until sockets have been read. An immediate that is set while they are read runs before the next reading, so it takes two. */
async function letOthersRun(): Promise<void> {
  await nextTurn()
  await nextTurn()
}
