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
 * What the state costs by itself, without HTTP: `npx tsx test/bench/state.ts`. With a path it only opens that file, which
 * is how it measures a start in a process of its own.
 */
const WRITERS = 16

async function openOrFail(path: string, checkpointFrom?: number): Promise<Store> {
  const opened = await openFileStore(path, checkpointFrom === undefined ? {} : { checkpointFrom })
  if (!opened.ok) throw new Error(opened.error)
  return opened.value.store
}

function eventNo(index: number): EventDraft {
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

/** Microseconds that each of these events took, and all of them together. */
async function record(store: Store, from: number, to: number) {
  const took: number[] = []
  let next = from
  const begun = performance.now()
  const writer = async () => {
    while (next < to) {
      const index = next++
      const start = performance.now()
      await store.recordEvent({ sandbox: 'default', seed: '1', now: 1_768_478_400_000 }, eventNo(index))
      took.push((performance.now() - start) * 1000)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  took.sort((a, b) => a - b)
  const at = (share: number) => Math.round(took[Math.floor(took.length * share)] ?? 0)
  const each = ((performance.now() - begun) * 1000) / (to - from)
  return { each: each.toFixed(1), p50: at(0.5), p99: at(0.99), worst: at(0.9999) }
}

/** Live bytes, in the heap and beside it. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function report(what: string, figures: Awaited<ReturnType<typeof record>>): void {
  const { each, p50, p99, worst } = figures
  console.log(`${what.padEnd(44)} ${each} us an event; waited p50 ${p50}, p99 ${p99}, worst ${worst} us`)
}

async function measure(folder: string): Promise<void> {
  const path = join(folder, 'state.json')
  const never = Number.MAX_SAFE_INTEGER
  let store = await openOrFail(path, never)
  await record(store, 0, 1000)
  const live = liveBytes()
  let stored = 1000
  for (const goal of [1000, 10_000, 100_000]) {
    if (stored < goal) await record(store, stored, goal)
    report(`${goal} stored, no checkpoint`, await record(store, goal, goal + 5000))
    stored = goal + 5000
  }
  console.log(`an event takes ${Math.round((liveBytes() - live) / (stored - 1000))} bytes of memory`)
  const journal = statSync(`${path}.journal.1`).size
  await store.close()
  store = await openOrFail(path, 1000)
  report('105,000 stored, a checkpoint meanwhile', await record(store, stored, stored + 60_000))
  await store.close()
  console.log(`state file ${mb(statSync(path).size)}, journal before folding ${mb(journal)}`)
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

async function measureStart(folder: string): Promise<void> {
  const path = join(folder, 'start.json')
  const store = await openOrFail(path)
  await record(store, 0, 100_000)
  await store.close()
  for (let round = 0; round < 3; round += 1) {
    const begun = performance.now()
    const child = spawnSync(process.execPath, ['--import', 'tsx', import.meta.filename, path], {
      encoding: 'utf8',
    })
    console.log(
      `process start to 100,000 events loaded: ${Math.round(performance.now() - begun)} ms; ${child.stdout.trim()}${child.stderr}`,
    )
  }
}

async function openOnly(path: string): Promise<void> {
  const begun = performance.now()
  const store = await openOrFail(path)
  console.log(`of this in openFileStore ${Math.round(performance.now() - begun)} ms`)
  await store.close()
}

const given = process.argv[2]
if (given !== undefined) {
  await openOnly(given)
} else {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-bench-'))
  await measure(folder)
  await measureStart(folder)
  rmSync(folder, { recursive: true })
}
