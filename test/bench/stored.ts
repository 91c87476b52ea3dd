import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openFileStore } from '../../src/state/file/file-store.ts'
import { type Figures, load } from './load.ts'
import { newEvent, type Question, warmAnalytics } from './questions.ts'
import { median, type Row, tableOf } from './table.ts'
import { ask, freePort, type Started, startTarget } from './target.ts'
import { shipped } from './targets.ts'

/**
 * Whether the cost of a write grows with what is stored: `npm run bench:state`. Starts what is shipped on files of 1,000,
 * 10,000 and 100,000 events, and posts events over HTTP, while a checkpoint is written and then in quiet. The
 * sizes take turns within every round; a figure is the median of its rounds, with its ratio to that of 1,000 beside it.
 */
const sizes = [1000, 10_000, 100_000]
const rounds = 5
const connections = 16
const amount = 3000

interface Round {
  readonly readyMs: number
  readonly residentMb: number | undefined
  readonly quiet: Figures
  readonly folding: Figures
  readonly checkpointMs: number
}

await main()

async function main(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'convsim-bench-'))
  try {
    for (const size of sizes) await prepare(folder, size)
    const measured = sizes.map((): Round[] => [])
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, size] of sizes.entries()) measured[index]?.push(await measure(folder, size))
    }
    const row = (name: string, pick: (one: Round) => number): Row => ({
      name,
      values: measured.map((each) => median(each.map(pick))),
    })
    const rows = [
      row('start to first 200, ms', ({ readyMs }) => readyMs),
      row('POST events, requests/s', ({ quiet }) => quiet.perSecond),
      row('POST events, p50 ms', ({ quiet }) => quiet.p50),
      row('POST events, p99 ms', ({ quiet }) => quiet.p99),
      row('... during a checkpoint, requests/s', ({ folding }) => folding.perSecond),
      row('... during a checkpoint, p50 ms', ({ folding }) => folding.p50),
      row('... during a checkpoint, p99 ms', ({ folding }) => folding.p99),
      row('the checkpoint took, ms', ({ checkpointMs }) => checkpointMs),
      row('resident after start, MB', ({ residentMb = Number.NaN }) => residentMb),
    ]
    console.log(
      `Node ${process.version}, ${availableParallelism()} cores, median of ${rounds} rounds, ` +
        `${amount} requests each, ${connections} connections\n\n` +
        tableOf(
          sizes.map((size) => `${size.toLocaleString('en')} stored`),
          rows,
        ),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function preparedIn(folder: string, size: number): string {
  return join(folder, `${size}.json`)
}

/** A state file with so many events. */
async function prepare(folder: string, size: number): Promise<void> {
  const opened = await openFileStore(preparedIn(folder, size))
  if (!opened.ok) throw new Error(opened.error)
  const { store } = opened.value
  const writer = { sandbox: 'default', seed: '1', now: Date.UTC(2026, 0, 15, 12) }
  for (let from = 0; from < size; from += 1000) {
    const drafts = Array.from({ length: Math.min(1000, size - from) }, () =>
      JSON.parse(newEvent().body ?? ''),
    )
    await Promise.all(drafts.map((draft) => store.recordEvent(writer, draft)))
  }
  await store.close()
}

/** One start on a fresh copy of the file, so that every round begins with the same number of events. */
async function measure(folder: string, size: number): Promise<Round> {
  const own = join(folder, 'round')
  mkdirSync(own)
  const state = join(own, 'state.json')
  copyFileSync(preparedIn(folder, size), state)
  const started = await startTarget(shipped(own), await freePort(), warmAnalytics)
  try {
    const residentMb = started.residentMb()
    await load(started, warmUp, connections, { amount: 3 * amount })
    await succeed(new URL(started.url).origin, dropping('warm'))
    await untilFolding(started, own)
    const begun = performance.now()
    const replaced = untilReplaced(state).then(() => performance.now() - begun)
    const folding = await load(started, newEvent, connections, { amount })
    const checkpointMs = await replaced
    const quiet = await load(started, newEvent, connections, { amount })
    return { readyMs: started.readyMs, residentMb, quiet, folding, checkpointMs }
  } finally {
    await started.stop()
    rmSync(own, { recursive: true })
  }
}

/** In a sandbox of its own, which goes before it counts. */
function warmUp(): Question {
  const question = newEvent()
  return { ...question, headers: { ...question.headers, authorization: 'Bearer bench~warm' } }
}

function dropping(sandbox: string): Question {
  return { method: 'DELETE', path: `/__sim/sandboxes/${sandbox}`, headers: {} }
}

async function succeed(url: string, question: Question): Promise<void> {
  const { status, text } = await ask(url, question)
  if (status >= 300) throw new Error(`${question.method} ${question.path} got ${status} ${text}`)
}

/** Fills the journal, with what is deleted at once, until it is folded: then entries go to the next file of it. */
async function untilFolding(started: Started, folder: string): Promise<void> {
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
  const journals = () =>
    readdirSync(folder)
      .filter((name) => name.includes('.journal.'))
      .sort()
      .at(-1)
  const before = journals()
  while (journals() === before) {
    await succeed(started.url, filler)
    await succeed(new URL(started.url).origin, dropping('filler'))
  }
}

/** A checkpoint is put in place as another file of the same name. */
async function untilReplaced(path: string): Promise<void> {
  const before = statSync(path).ino
  while (statSync(path).ino === before) await sleep(2)
}
