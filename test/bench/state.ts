import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openFileStore } from '../../src/state/file/file-store.ts'
import type { EventDraft } from '../../src/state/records.ts'
import type { Store } from '../../src/state/store.ts'

/**
 * Measures the state without HTTP: `npx tsx test/bench/state.ts`. With a path as its argument it only opens that file, by which
 * it measures a start in a process of its own.
 */
const WRITERS = 16

async function openOrFail(path: string, checkpointFrom?: number): Promise<Store> {
  const opened = await openFileStore(path, checkpointFrom === undefined ? {} : { checkpointFrom })
  if (!opened.ok) throw new Error(opened.error)
  return opened.value.store
}

function createEvent(index: number): EventDraft {
  return {
    eventType: 'upgrade_purchased',
    productId: '6f1c1e0a-2b7d-4c55-9a35-0d6f2f0a9a01',
    value: String(index),
    valueType: 'numeric',
    influence: 'positive',
    insertId: `order-${index}`,
    externalConversationId: `conversation-${index % 500}`,
    externalUserId: `user-${index % 100}`,
    properties: { plan: 'growth', seats: index % 30, source: 'bench' },
  }
}

/** Records events and returns the microseconds per event, with percentiles of the time of a single one. */
async function recordEvents(store: Store, from: number, to: number) {
  const took: number[] = []
  let next = from
  const startedAt = performance.now()
  const writer = async () => {
    while (next < to) {
      const index = next++
      const start = performance.now()
      await store.recordEvent({ sandbox: 'default', seed: '1', now: 1_768_478_400_000 }, createEvent(index))
      took.push((performance.now() - start) * 1000)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  took.sort((a, b) => a - b)
  const at = (share: number) => Math.round(took[Math.floor(took.length * share)] ?? 0)
  const each = ((performance.now() - startedAt) * 1000) / (to - from)
  return { each: each.toFixed(1), p50: at(0.5), p99: at(0.99), worst: at(0.9999) }
}

/** Returns the live bytes after a collection, in the heap and outside. */
function measureLiveBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function printTimes(label: string, times: Awaited<ReturnType<typeof recordEvents>>): void {
  const { each, p50, p99, worst } = times
  console.log(`${label.padEnd(44)} ${each} us an event; waited p50 ${p50}, p99 ${p99}, worst ${worst} us`)
}

async function measure(folder: string): Promise<void> {
  const path = join(folder, 'state.json')
  const never = Number.MAX_SAFE_INTEGER
  let store = await openOrFail(path, never)
  await recordEvents(store, 0, 1000)
  const live = measureLiveBytes()
  let stored = 1000
  for (const goal of [1000, 10_000, 100_000]) {
    if (stored < goal) await recordEvents(store, stored, goal)
    printTimes(`${goal} stored, no checkpoint`, await recordEvents(store, goal, goal + 5000))
    stored = goal + 5000
  }
  console.log(`an event takes ${Math.round((measureLiveBytes() - live) / (stored - 1000))} bytes of memory`)
  const logBytes = statSync(`${path}.journal`).size
  await store.close()
  store = await openOrFail(path, 1000)
  printTimes('105,000 stored, a checkpoint during it', await recordEvents(store, stored, stored + 60_000))
  await store.close()
  console.log(
    `state file ${formatMb(statSync(path).size)}, write-ahead log before the checkpoint ${formatMb(logBytes)}`,
  )
}

function formatMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

async function measureStart(folder: string): Promise<void> {
  const path = join(folder, 'start.json')
  const store = await openOrFail(path)
  await recordEvents(store, 0, 100_000)
  await store.close()
  for (let round = 0; round < 3; round += 1) {
    const startedAt = performance.now()
    const child = spawnSync(process.execPath, ['--import', 'tsx', import.meta.filename, path], { encoding: 'utf8' })
    console.log(
      `process start to 100,000 events loaded: ${Math.round(performance.now() - startedAt)} ms; ${child.stdout.trim()}${child.stderr}`,
    )
  }
}

async function openOnly(path: string): Promise<void> {
  const startedAt = performance.now()
  const store = await openOrFail(path)
  console.log(`openFileStore took ${Math.round(performance.now() - startedAt)} ms`)
  await store.close()
}

const path = process.argv[2]
if (path !== undefined) {
  await openOnly(path)
} else {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-bench-'))
  await measure(folder)
  await measureStart(folder)
  rmSync(folder, { recursive: true })
}
