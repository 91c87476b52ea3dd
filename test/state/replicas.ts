import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/state/store.ts'
import { context, event, exportSandbox, listEvents, listPrompts, noon, prompt } from './drafts.ts'

/** Calls `each` with the indexes 0 to `count - 1`. At most `writers` calls run at a time. */
async function inParallel(writers: number, count: number, each: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const write = async () => {
    for (let index = next++; index < count; index = next++) await each(index)
  }
  await Promise.all(Array.from({ length: writers }, write))
}

const writeWeight = (store: Store, weight: number) => store.putQuality('default', { weight })

const readWeight = async (store: Store) => (await store.getQuality('default')).weight

/** Reads the weight from all stores in turn for `ms` milliseconds. */
async function readFor(ms: number, stores: readonly Store[]): Promise<void> {
  const until = Date.now() + ms
  while (Date.now() < until) for (const store of stores) await readWeight(store)
}

/**
 * Defines the tests that stores with shared state must pass. `open` opens `count` empty stores that share their state,
 * and closes them after the test.
 */
export function replicaSuite(name: string, open: (count: number) => Promise<readonly Store[]>): void {
  describe(`with several replicas of ${name},`, () => {
    const withStores = async (run: (stores: readonly [Store, Store, Store]) => Promise<void>) => {
      const [first, second, third] = await open(3)
      if (!first || !second || !third) throw new Error('there are fewer than three stores')
      await run([first, second, third])
    }
    const anyOf = (stores: readonly Store[], index: number) => stores[index % stores.length] as Store // in range

    test('64 writers that record 10,000 events with 1,000 insertIds store 1,000 events, each with one ID', () =>
      withStores(async (stores) => {
        const ids = new Map<string, Set<string>>()
        let created = 0
        await inParallel(64, 10_000, async (index) => {
          const insertId = `e${(index * 7) % 1000}`
          const receipt = await anyOf(stores, index).recordEvent(context, event({ insertId }))
          ids.set(insertId, (ids.get(insertId) ?? new Set()).add(receipt.event.eventId))
          if (!receipt.replayed) created += 1
        })
        expect([ids.size, created, [...ids.values()].filter(({ size }) => size !== 1)]).toEqual([1000, 1000, []])
        const exports = await Promise.all(stores.map((store) => exportSandbox(store, 'default')))
        expect(exports[0]?.events).toHaveLength(1000)
        expect(exports[0]?.events.reduce((sum, { replays }) => sum + replays, 0)).toBe(9000)
        expect([exports[1], exports[2]]).toEqual([exports[0], exports[0]])
      }))

    test('a write is immediately visible to replicas that have read the same data repeatedly', () =>
      withStores(async (stores) => {
        for (let round = 1; round <= 9; round += 1) {
          await readFor(150, stores) // long enough for any optimization of repeated reads to start
          await writeWeight(anyOf(stores, round), round / 10)
          expect(await Promise.all(stores.map(readWeight))).toEqual(stores.map(() => round / 10))
        }
      }))

    test('an import into an empty sandbox does not replace an event that another replica stores at the same time', () =>
      withStores(async ([one, two, three]) => {
        await one.recordEvent({ ...context, sandbox: 'source' }, event({ insertId: 'imported' }))
        const document = await exportSandbox(one, 'source')
        for (let round = 0; round < 20; round += 1) {
          const sandbox = `empty-${round}`
          await listEvents(two, sandbox)
          const [, receipt] = await Promise.all([
            two.importSandbox(sandbox, document, 'if-empty'),
            one.recordEvent({ ...context, sandbox }, event({ insertId: 'stored concurrently' })),
          ])
          const { events } = await listEvents(three, sandbox)
          expect(events.map(({ eventId }) => eventId)).toContain(receipt.event.eventId)
        }
      }))

    test('300 concurrently added versions of one prompt are numbered 1 to 300', () =>
      withStores(async (stores) => {
        const numbers: number[] = []
        const draft = prompt({ externalPromptId: 'greeting' })
        await inParallel(300, 300, async (index) => {
          const { version } = await anyOf(stores, index).addPromptVersion(context, draft)
          numbers.push(version.version)
        })
        expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1))
        const [stored] = await listPrompts(stores[2], 'default')
        expect(stored?.versions.map(({ version }) => version)).toEqual(numbers)
      }))

    test('the IDs of identical events without an insertId do not depend on which replicas record them', () =>
      withStores(async (stores) => {
        const run = async (storeFor: (index: number) => Store) => {
          const ids: string[] = []
          for (let index = 0; index < 12; index += 1)
            ids.push((await storeFor(index).recordEvent(context, event())).event.eventId)
          await stores[0].reset('default')
          return ids
        }
        expect(await run((index) => anyOf(stores, index))).toEqual(await run(() => stores[0]))
      }))

    test('sequences and rate limit windows count every use exactly once', () =>
      withStores(async (stores) => {
        const indexes: number[] = []
        let allowed = 0
        await inParallel(64, 300, async (index) => {
          indexes.push(await anyOf(stores, index).nextSequenceIndex('default', 's'))
          if ((await anyOf(stores, index).consumeRate(context, 'key', 100, 1000)).allowed) allowed += 1
        })
        expect(indexes.sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, index) => index))
        expect(allowed).toBe(100)
        expect(await stores[1].listSequences('default')).toEqual(new Map([['s', 300]]))
      }))

    test('a rate limit window is shared by replicas whose clocks differ by a few seconds, and seen by forks', () =>
      withStores(async ([fast, exact, slow]) => {
        const consume = async (store: Store, now: number) =>
          (await store.consumeRate({ ...context, now }, 'key', 3, 60_000)).allowed
        expect(await consume(exact, 100_000)).toBe(true)
        expect(await consume(slow, 98_000)).toBe(true)
        expect(await consume(slow.fork(), 98_000)).toBe(true)
        expect(await consume(fast, 102_000)).toBe(true)
        for (const fork of [slow.fork(), fast.fork()]) expect(await consume(fork, 98_000)).toBe(false)
        for (const [store, now] of [
          [slow, 98_000],
          [exact, 100_001],
          [fast, 102_000],
        ] as const)
          expect(await consume(store, now)).toBe(false)
        expect(await consume(slow, 50_000)).toBe(true)
      }))

    test('an acknowledged write is visible to all replicas', () =>
      withStores(async (stores) => {
        for (let index = 0; index < 30; index += 1) {
          await anyOf(stores, index).recordEvent(context, event({ insertId: `e${index}` }))
          const totals = await Promise.all(stores.map((store) => listEvents(store, 'default', { limit: 0 })))
          expect(totals.map(({ total }) => total)).toEqual([index + 1, index + 1, index + 1])
        }
      }))

    test('a read during writes never returns a value older than one that was already read or acknowledged', () =>
      withStores(async (stores) => {
        let [latest, isOver] = [0, false]
        const see = (weight: number) => {
          latest = Math.max(latest, weight)
        }
        const read = async (store: Store) => {
          while (!isOver) {
            const before = latest
            const weight = await readWeight(store)
            expect(weight).toBeGreaterThanOrEqual(before)
            see(weight)
          }
        }
        const write = async () => {
          for (let index = 0; index < 80; index += 1) {
            await writeWeight(anyOf(stores, index), 0.2 + index / 100)
            see(0.2 + index / 100)
          }
          isOver = true
        }
        await Promise.all([write(), ...stores.flatMap((store) => [read(store), read(store)])])
      }))

    test('writers to many sandboxes do not affect each other', () =>
      withStores(async (stores) => {
        await inParallel(64, 1280, async (index) => {
          const writeContext = { sandbox: `s${index % 64}`, seed: '1', now: noon }
          await anyOf(stores, index >> 6).recordEvent(writeContext, event({ insertId: `e${index}` }))
        })
        const summaries = await stores[1].listSandboxes()
        expect(summaries.map(({ events }) => events)).toEqual(Array.from({ length: 64 }, () => 20))
      }))
  })
}
