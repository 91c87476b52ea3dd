import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { goalsOf } from './goals.ts'
import { type Asking, type Figures, load, oneByOne } from './load.ts'
import { coldAnalytics, newEvent, warmAnalytics } from './questions.ts'
import { median, type Row, tableOf } from './table.ts'
import { freePort, type Started, startTarget, type Target } from './target.ts'
import { baselines, peers, shipped } from './targets.ts'

/**
 * Measures what is shipped beside two servers that send the same bytes, all in one run: `npm run bench`. The targets take
 * turns within every round, and rounds are short, so that a noisy minute of the machine hits all of them; a figure is the
 * median of its rounds.
 */
const usage = `npm run bench -- [--seconds 1] [--rounds 15] [--connections 16] [--cold 200] [--peers]
  seconds      of each load, each round; five more of each before that are not counted
  rounds       the median of which is told
  connections  that ask at the same time
  cold         how many models that were never asked for, each round
  peers        beside Prism and Steady, too, installed in a folder that is gone afterwards`

interface Options {
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly cold: number
  readonly peers: boolean
}

const elsewhere = `
Measured elsewhere: POST with 1,000 to 100,000 stored by npm run bench:state, a million requests by bench:soak, the start of
a container by bench:image; npm test holds the size of the package and the bounds of what is remembered.`

/** Of each target under each load, before anything is counted. */
const warmUpSeconds = 5

await main(readOptions())

async function main(options: Options): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'convsim-bench-'))
  try {
    const beside = options.peers ? peers(folder) : { targets: [], missing: [] }
    const targets = [shipped(folder), ...(await baselines(folder)), ...beside.targets]
    const names = targets.map(({ name }) => name)
    const rows = [...(await measureStarts(targets, options)), ...(await measureLoads(targets, options))]
    console.log(
      `Node ${process.version}, ${availableParallelism()} cores, median of ${options.rounds} rounds, ` +
        `${options.seconds} s each, ${options.connections} connections\n\n${tableOf(names, rows)}\n\n${goalsOf(rows)}`,
    )
    for (const reason of beside.missing) console.log(reason)
    console.log(elsewhere)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureStarts(targets: readonly Target[], { rounds }: Options): Promise<Row[]> {
  const taken = targets.map((): number[] => [])
  await eachRound(rounds, targets, async (target, index) => {
    const started = await startTarget(target, await freePort(), warmAnalytics)
    taken[index]?.push(started.readyMs)
    await started.stop()
  })
  return [{ name: 'start to first 200, ms', values: taken.map(median) }]
}

async function measureLoads(targets: readonly Target[], options: Options): Promise<Row[]> {
  const started: Started[] = []
  try {
    for (const target of targets) started.push(await startTarget(target, await freePort(), warmAnalytics))
    const idle = started.map((one) => one.residentMb())
    const analytics = await measureLoad(started, warmAnalytics, options)
    const events = await measureLoad(started, newEvent, options)
    const cold = await measureCold(started, options)
    return [
      ...rowsOf('GET analytics 30d', analytics.figures),
      ...rowsOf('POST events', events.figures),
      ...rowsOf('GET analytics 90d, new models', cold).slice(1), // one by one: no rate to tell
      { name: 'resident idle, MB', values: idle },
      { name: 'events posted in all', values: events.answers },
      { name: 'resident after load, MB', values: started.map((one) => one.residentMb()) },
    ]
  } finally {
    await Promise.all(started.map((one) => one.stop()))
  }
}

async function measureLoad(started: readonly Started[], asking: Asking, options: Options) {
  const { connections, seconds, rounds } = options
  const figures = started.map((): Figures[] => [])
  const answers = started.map(() => 0)
  const measure = async (one: Started, index: number, duration: number) => {
    const measured = await load(one, asking, connections, { duration })
    answers[index] = (answers[index] ?? 0) + measured.answers
    return measured
  }
  for (const [index, one] of started.entries()) await measure(one, index, warmUpSeconds)
  await eachRound(rounds, started, async (one, index) => {
    figures[index]?.push(await measure(one, index, seconds))
  })
  return { figures, answers }
}

async function measureCold(started: readonly Started[], { cold, rounds }: Options) {
  const figures = started.map((): Figures[] => [])
  await eachRound(rounds, started, async (one, index) => {
    figures[index]?.push(await oneByOne(one, coldAnalytics, cold))
  })
  return figures
}

async function eachRound<Item>(
  rounds: number,
  items: readonly Item[],
  measure: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, item] of items.entries()) await measure(item, index)
  }
}

function rowsOf(name: string, figures: readonly (readonly Figures[])[]): Row[] {
  const row = (what: string, pick: (one: Figures) => number): Row => ({
    name: `${name}, ${what}`,
    values: figures.map((rounds) => median(rounds.map(pick))),
  })
  return [
    row('requests/s', ({ perSecond }) => perSecond),
    row('p50 ms', ({ p50 }) => p50),
    row('p99 ms', ({ p99 }) => p99),
  ]
}

function readOptions(): Options {
  const text = (standard: string) => ({ type: 'string', default: standard }) as const
  const { values } = parseArgs({
    options: {
      seconds: text('1'),
      rounds: text('15'),
      connections: text('16'),
      cold: text('200'),
      peers: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const whole = (name: 'seconds' | 'rounds' | 'connections' | 'cold') => {
    if (/^[1-9]\d{0,5}$/.test(values[name])) return Number(values[name])
    throw new Error(`--${name} takes a whole number from 1; got "${values[name]}"\n${usage}`)
  }
  return {
    seconds: whole('seconds'),
    rounds: whole('rounds'),
    connections: whole('connections'),
    cold: whole('cold'),
    peers: values.peers,
  }
}
