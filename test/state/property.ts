import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Store } from '../../src/state/store.ts'
import { event, exportSandbox, impactQuery, importDocument, listPrompts, noon, prompt } from './drafts.ts'

/** A store for one run of the test. The test can restart the store. */
export interface RestartableStore {
  readonly store: Store
  /** Called when no write is in progress, to let `store` switch to another replica. Absent if there are no replicas. */
  takeTurns?(): void
  /** Simulates a graceful shutdown or a kill, then reopens the store. Does nothing for a memory store. */
  restart(isGraceful: boolean): Promise<void>
  /** Starts writes that cannot be stored, and expects them to be refused. Absent if the test cannot cause refusals. */
  refuse?(writes: (store: Store) => readonly Promise<unknown>[]): Promise<void>
  close(): Promise<void>
}

/** A simple model of a sandbox's content. */
interface Content {
  events: { name: string | undefined; value: string; replays: number }[]
  prompts: { name: string; versions: number; active: number | undefined }[]
  weight: number
}

type Model = Content & { snapshots: Content[] }

const fresh = (): Model => ({ events: [], prompts: [], weight: 0.1, snapshots: [] })
const contentOf = ({ events, prompts, weight }: Content): Content => structuredClone({ events, prompts, weight })

/** A store, the models of its sandboxes by name, and the pending writes. */
interface Pair {
  readonly subject: RestartableStore
  readonly models: Map<string, Model>
  readonly pending: Promise<unknown>[]
}

type Operation = (pair: Pair) => Promise<void>

function modelOf({ models }: Pair, sandbox: string): Model {
  const known = models.get(sandbox) ?? fresh()
  models.set(sandbox, known)
  return known
}

const contextFor = (sandbox: string) => ({ sandbox, seed: '1', now: noon })

async function settle({ pending, subject }: Pair): Promise<void> {
  await Promise.all(pending.splice(0))
  subject.takeTurns?.()
}

/** Operations that do not wait for the store, so several can be pending at once. */
const start = {
  event: (sandbox: string, name: string | undefined, value: string) => async (pair: Pair) => {
    const { events } = modelOf(pair, sandbox)
    const known = name === undefined ? undefined : events.find((event) => event.name === name)
    if (known === undefined) events.push({ name, value, replays: 0 })
    else known.replays += 1
    const draft = event({ value, ...(name !== undefined && { insertId: name }) })
    pair.pending.push(pair.subject.store.recordEvent(contextFor(sandbox), draft))
  },
  prompt: (sandbox: string, name: string) => async (pair: Pair) => {
    const { prompts } = modelOf(pair, sandbox)
    const known = prompts.find((prompt) => prompt.name === name)
    if (known === undefined) prompts.push({ name, versions: 1, active: undefined })
    else known.versions += 1
    pair.pending.push(pair.subject.store.addPromptVersion(contextFor(sandbox), prompt({ externalPromptId: name })))
  },
  weight: (sandbox: string, weight: number) => async (pair: Pair) => {
    modelOf(pair, sandbox).weight = weight
    pair.pending.push(pair.subject.store.putQuality(sandbox, { weight }))
  },
  reset: (sandbox: string) => async (pair: Pair) => {
    Object.assign(modelOf(pair, sandbox), { ...fresh(), snapshots: modelOf(pair, sandbox).snapshots })
    pair.pending.push(pair.subject.store.reset(sandbox))
  },
  remove: (sandbox: string) => async (pair: Pair) => {
    pair.models.delete(sandbox)
    pair.pending.push(pair.subject.store.deleteSandbox(sandbox))
  },
  snapshot: (sandbox: string) => async (pair: Pair) => {
    const model = modelOf(pair, sandbox)
    model.snapshots.push(contentOf(model))
    pair.pending.push(pair.subject.store.createSnapshot(contextFor(sandbox)))
  },
}

/** Operations that wait for all pending writes first. */
const finish = {
  restore: (sandbox: string, which: number) => async (pair: Pair) => {
    await settle(pair)
    const snapshots = await pair.subject.store.listSnapshots(sandbox)
    const model = modelOf(pair, sandbox)
    const copy = model.snapshots[which]
    if (copy !== undefined) Object.assign(model, contentOf(copy))
    const found = await pair.subject.store.restoreSnapshot(sandbox, snapshots[which]?.snapshotId ?? 'none')
    expect(found).toBe(copy !== undefined)
  },
  deleteSnapshot: (sandbox: string, which: number) => async (pair: Pair) => {
    await settle(pair)
    const snapshots = await pair.subject.store.listSnapshots(sandbox)
    const deleted = modelOf(pair, sandbox).snapshots.splice(which, 1)
    const found = await pair.subject.store.deleteSnapshot(sandbox, snapshots[which]?.snapshotId ?? 'none')
    expect(found).toBe(deleted.length === 1)
  },
  activate: (sandbox: string, which: number, version: number) => async (pair: Pair) => {
    await settle(pair)
    const prompt = modelOf(pair, sandbox).prompts[which]
    const exists = prompt !== undefined && version < prompt.versions
    if (exists) prompt.active = version
    const stored = (await listPrompts(pair.subject.store, sandbox))[which]
    const versionId = stored?.versions[version]?.versionId ?? 'none'
    expect(await pair.subject.store.activateVersion(sandbox, stored?.promptId ?? 'none', versionId)).toBe(exists)
  },
  copy: (from: string, to: string) => async (pair: Pair) => {
    await settle(pair)
    Object.assign(modelOf(pair, to), contentOf(modelOf(pair, from)))
    const outcome = await importDocument(pair.subject.store, to, await exportSandbox(pair.subject.store, from))
    expect(outcome).toMatchObject({ ok: true })
  },
  restart: (isGraceful: boolean) => async (pair: Pair) => {
    await settle(pair)
    await pair.subject.restart(isGraceful)
  },
  /** Refused writes, which do not change the model. */
  refused: (sandbox: string, name: string | undefined) => async (pair: Pair) => {
    await settle(pair)
    await pair.subject.refuse?.((store) => [
      store.recordEvent(contextFor(sandbox), event(name === undefined ? {} : { insertId: name })),
      store.addPromptVersion(contextFor(sandbox), prompt({ externalPromptId: name ?? 'x' })),
      store.createSnapshot(contextFor(sandbox)),
      store.putQuality(sandbox, { weight: 0.9 }),
      ...(modelOf(pair, sandbox).events.length > 0 ? [store.reset(sandbox), store.deleteSandbox(sandbox)] : []),
    ])
  },
}

async function compare(pair: Pair): Promise<void> {
  await settle(pair)
  for (const sandbox of ['a', 'b']) {
    const { quality, events, prompts } = await exportSandbox(pair.subject.store, sandbox)
    const stored: Content = {
      events: events.map(({ fields, replays }) => ({ name: fields.insertId, value: fields.value, replays })),
      prompts: prompts.map(({ externalPromptId = '', versions }) => {
        const active = versions.findIndex((version) => version.active)
        expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1))
        return { name: externalPromptId, versions: versions.length, active: active < 0 ? undefined : active }
      }),
      weight: quality.weight,
    }
    expect(stored).toEqual(contentOf(modelOf(pair, sandbox)))
    expect(await pair.subject.store.listSnapshots(sandbox)).toHaveLength(modelOf(pair, sandbox).snapshots.length)
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length)
    const impacts = await pair.subject.store.eventImpact(sandbox, impactQuery)
    const sums = [...impacts.values()].map(({ impact, events }) => ({ impact, events }))
    expect(sums).toEqual(events.length === 0 ? [] : [{ impact: events.length, events: events.length }])
  }
}

const sandbox = fc.constantFrom('a', 'b')
const smallIndex = fc.nat({ max: 2 })
const name = fc.constantFrom('x', 'y', 'z')
const optionalName = fc.option(name, { nil: undefined })

/** Returns an arbitrary with a weight. A counterexample shows a call, such as `reset("a")`, instead of source code. */
function weighted<Args extends unknown[]>(
  weight: number,
  name: string,
  arbitraries: { [Index in keyof Args]: fc.Arbitrary<Args[Index]> },
  create: (...args: Args) => Operation,
) {
  const arbitrary = fc.tuple<Args>(...arbitraries).map((args) => {
    const run = create(...args)
    const label = `${name}(${args.map((value) => JSON.stringify(value)).join(', ')})`
    return Object.assign((pair: Pair) => run(pair), { [fc.toStringMethod]: () => label })
  })
  return { weight, arbitrary }
}

const operation: fc.Arbitrary<Operation> = fc.oneof(
  weighted(10, 'event', [sandbox, optionalName, name], start.event),
  weighted(5, 'prompt', [sandbox, name], start.prompt),
  weighted(2, 'weight', [sandbox, fc.constantFrom(0, 0.5, 1)], start.weight),
  weighted(1, 'reset', [sandbox], start.reset),
  weighted(1, 'remove', [sandbox], start.remove),
  weighted(2, 'snapshot', [sandbox], start.snapshot),
  weighted(2, 'restore', [sandbox, smallIndex], finish.restore),
  weighted(1, 'deleteSnapshot', [sandbox, smallIndex], finish.deleteSnapshot),
  weighted(2, 'activate', [sandbox, smallIndex, smallIndex], finish.activate),
  weighted(1, 'copy', [sandbox, sandbox], finish.copy),
  weighted(2, 'restart', [fc.boolean()], finish.restart),
  weighted(1, 'refused', [sandbox, optionalName], finish.refused),
  weighted(2, 'compare', [], () => compare),
)

/** Defines a test that compares a store with a simple model after random operations. `open` opens an empty store. */
export function stateProperty(open: () => Promise<RestartableStore>, runs: number): void {
  test('the store matches the model after any operations, including restarts, snapshots and resets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 60, size: 'max' }), async (operations) => {
        const pair: Pair = { subject: await open(), models: new Map(), pending: [] }
        for (const run of operations) await run(pair)
        await compare(pair)
        await finish.restart(false)(pair)
        await compare(pair)
        await pair.subject.close()
      }),
      {
        numRuns: Number(process.env['PROPERTY_RUNS'] ?? runs),
        // Shorter than the test's timeout, because a timeout would not show the failing operations.
        interruptAfterTimeLimit: 200_000,
        markInterruptAsFailure: true,
      },
    )
  })
}
