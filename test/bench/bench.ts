import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatGoals } from './goals.ts'
import { type LoadResult, type RequestSource, runLoad, runSequentially } from './load.ts'
import { coldAnalytics, newEvent, warmAnalytics } from './requests.ts'
import { formatTable, median, type Row } from './table.ts'
import { freePort, type StartedTarget, startTarget, type Target } from './target.ts'
import { buildBaselines, builtSimulator, installPeers } from './targets.ts'

/**
 * Measures the built simulator and two servers that send the same bytes: `npm run bench`. The targets take turns within every
 * round, and rounds are short, so that noise of the machine affects all of them. A figure is the median of the rounds.
 */
const usage = `npm run bench -- [--seconds 1] [--rounds 15] [--connections 16] [--cold 200] [--peers]
  seconds      duration of each load in each round, after a warm-up of five seconds
  rounds       number of rounds; figures are medians
  connections  number of concurrent connections
  cold         number of new models in each round
  peers        measure Prism and Steady, too, which are installed in a temporary folder`

interface Options {
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly cold: number
  readonly peers: boolean
}

const otherBenches = `
Measured elsewhere: POST with 1,000 to 100,000 stored by npm run bench:state, a million requests by bench:soak, the start of
a container by bench:image; npm test checks the size of the package and the memory limits.`

/** The duration of the warm-up of each target under each load. */
const warmUpSeconds = 5

await main(readOptions())

async function main(options: Options): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'convsim-bench-'))
  try {
    const peers = options.peers ? installPeers(folder) : { targets: [], missing: [] }
    const targets = [builtSimulator(folder), ...(await buildBaselines(folder)), ...peers.targets]
    const names = targets.map(({ name }) => name)
    const rows = [...(await measureStarts(targets, options)), ...(await measureLoads(targets, options))]
    console.log(
      `Node ${process.version}, ${availableParallelism()} cores, median of ${options.rounds} rounds, ` +
        `${options.seconds} s each, ${options.connections} connections\n\n${formatTable(names, rows)}\n\n${formatGoals(rows)}`,
    )
    for (const reason of peers.missing) console.log(reason)
    console.log(otherBenches)
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
  const started: StartedTarget[] = []
  try {
    for (const target of targets) started.push(await startTarget(target, await freePort(), warmAnalytics))
    const idle = started.map((one) => one.residentMb())
    const analytics = await measureLoad(started, warmAnalytics, options)
    const events = await measureLoad(started, newEvent, options)
    const cold = await measureCold(started, options)
    return [
      ...toRows('GET analytics 30d', analytics.figures),
      ...toRows('POST events', events.figures),
      ...toRows('GET analytics 90d, new models', cold).slice(1), // sequential requests have no meaningful rate
      { name: 'resident idle, MB', values: idle },
      { name: 'events posted in all', values: events.answers },
      { name: 'resident after load, MB', values: started.map((one) => one.residentMb()) },
    ]
  } finally {
    await Promise.all(started.map((one) => one.stop()))
  }
}

async function measureLoad(started: readonly StartedTarget[], asking: RequestSource, options: Options) {
  const { connections, seconds, rounds } = options
  const figures = started.map((): LoadResult[] => [])
  const answers = started.map(() => 0)
  const measure = async (one: StartedTarget, index: number, duration: number) => {
    const measured = await runLoad(one, asking, connections, { duration })
    answers[index] = (answers[index] ?? 0) + measured.answers
    return measured
  }
  for (const [index, one] of started.entries()) await measure(one, index, warmUpSeconds)
  await eachRound(rounds, started, async (one, index) => {
    figures[index]?.push(await measure(one, index, seconds))
  })
  return { figures, answers }
}

async function measureCold(started: readonly StartedTarget[], { cold, rounds }: Options) {
  const figures = started.map((): LoadResult[] => [])
  await eachRound(rounds, started, async (one, index) => {
    figures[index]?.push(await runSequentially(one, coldAnalytics, cold))
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

function toRows(name: string, figures: readonly (readonly LoadResult[])[]): Row[] {
  const row = (what: string, pick: (one: LoadResult) => number): Row => ({
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
