import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openFileStore } from '../../src/state/file/file-store.ts'
import { type LoadResult, loadRows, runLoad } from './load.ts'
import { type BenchRequest, newEvent, warmAnalytics } from './requests.ts'
import { eachRound, formatTable, median, type Row } from './table.ts'
import { freePort, type StartedTarget, send, startTarget } from './target.ts'
import { builtSimulator, withBuild } from './targets.ts'

/**
 * Measures the cost of a write by the number of stored events: `npm run bench:state`. Starts the built simulator on
 * files of 1,000, 10,000 and 100,000 events and posts events over HTTP, during a checkpoint and after it. The sizes
 * take turns within every round. A number is the median of the rounds, beside its ratio to the number of 1,000 events.
 */
const sizes = [1000, 10_000, 100_000]
const rounds = 5
const connections = 16
const amount = 3000

interface Round {
  readonly readyMs: number
  readonly residentMb: number | undefined
  readonly quiet: LoadResult
  readonly duringCheckpoint: LoadResult
  readonly checkpointMs: number
}

await withBuild(async (folder) => {
  for (const size of sizes) await prepareFile(folder, size)
  const measured = await eachRound(rounds, sizes, (size) => measureRound(folder, size))
  const row = (name: string, pick: (one: Round) => number): Row => ({
    name,
    values: measured.map((each) => median(each.map(pick))),
  })
  const ofLoad = (name: string, pick: (one: Round) => LoadResult) =>
    loadRows(
      name,
      measured.map((each) => each.map(pick)),
    )
  const rows = [
    row('start to first 200, ms', ({ readyMs }) => readyMs),
    ...ofLoad('POST events', ({ quiet }) => quiet),
    ...ofLoad('... during a checkpoint', ({ duringCheckpoint }) => duringCheckpoint),
    row('the checkpoint took, ms', ({ checkpointMs }) => checkpointMs),
    row('resident after start, MB', ({ residentMb = Number.NaN }) => residentMb),
  ]
  const names = sizes.map((size) => `${size.toLocaleString('en')} stored`)
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores, median of ${rounds} rounds, ` +
      `${amount} requests each, ${connections} connections\n\n${formatTable(names, rows)}`,
  )
})

function preparedFile(folder: string, size: number): string {
  return join(folder, `${size}.json`)
}

/** Writes a state file with this number of events. */
async function prepareFile(folder: string, size: number): Promise<void> {
  const opened = await openFileStore(preparedFile(folder, size))
  if (!opened.ok) throw new Error(opened.error)
  const { store } = opened.value
  const writer = { sandbox: 'default', seed: '1', now: Date.UTC(2026, 0, 15, 12) }
  for (let from = 0; from < size; from += 1000) {
    const drafts = Array.from({ length: Math.min(1000, size - from) }, () => JSON.parse(newEvent().body ?? ''))
    await Promise.all(drafts.map((draft) => store.recordEvent(writer, draft)))
  }
  await store.close()
}

/** Measures one start on a new copy of the file, so that every round begins with the same number of events. */
async function measureRound(folder: string, size: number): Promise<Round> {
  const own = join(folder, 'round')
  mkdirSync(own)
  const state = join(own, 'state.json')
  copyFileSync(preparedFile(folder, size), state)
  const started = await startTarget(builtSimulator(own), await freePort(), warmAnalytics)
  try {
    const residentMb = started.residentMb()
    await runLoad(started, createWarmUpRequest, connections, { amount: 3 * amount })
    await sendOrThrow(new URL(started.url).origin, createDeleteRequest('warm'))
    await fillUntilCheckpoint(started, own)
    const startedAt = performance.now()
    const replaced = waitUntilReplaced(state).then(() => performance.now() - startedAt)
    const duringCheckpoint = await runLoad(started, newEvent, connections, { amount })
    const checkpointMs = await replaced
    const quiet = await runLoad(started, newEvent, connections, { amount })
    return { readyMs: started.readyMs, residentMb, quiet, duringCheckpoint, checkpointMs }
  } finally {
    await started.stop()
    rmSync(own, { recursive: true })
  }
}

/** Creates an event in a sandbox that is deleted before the measurement. */
function createWarmUpRequest(): BenchRequest {
  const request = newEvent()
  return { ...request, headers: { ...request.headers, authorization: 'Bearer bench~warm' } }
}

function createDeleteRequest(sandbox: string): BenchRequest {
  return { method: 'DELETE', path: `/__sim/sandboxes/${sandbox}`, headers: {} }
}

async function sendOrThrow(url: string, request: BenchRequest): Promise<void> {
  const { status, text } = await send(url, request)
  if (status >= 300) throw new Error(`${request.method} ${request.path} got ${status} ${text}`)
}

/** Writes and deletes large events until a checkpoint is being written, which is in a temporary file. */
async function fillUntilCheckpoint(started: StartedTarget, folder: string): Promise<void> {
  const filler = {
    method: 'POST',
    path: '/events',
    headers: { authorization: 'Bearer bench~filler', 'content-type': 'application/json' },
    body: JSON.stringify({
      ...JSON.parse(newEvent().body ?? ''),
      insertId: 'filler',
      properties: { text: 'x'.repeat(500_000) },
    }),
  } as const
  while (!readdirSync(folder).some((name) => name.endsWith('.json.tmp'))) {
    await sendOrThrow(started.url, filler)
    await sendOrThrow(new URL(started.url).origin, createDeleteRequest('filler'))
  }
}

/** Resolves when a checkpoint has replaced the file, which changes its inode. */
async function waitUntilReplaced(path: string): Promise<void> {
  const before = statSync(path).ino
  while (statSync(path).ino === before) await sleep(2)
}
