import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { formatGoals } from './goals.ts'
import { installNode } from './install-node.ts'
import { type LoadResult, type RequestSource, runLoad, runSequentially } from './load.ts'
import { benchReplicas } from './replicas.ts'
import { coldAnalytics, newEvent, warmAnalytics } from './requests.ts'
import { formatTable, median, type Row } from './table.ts'
import { freePort, type StartedTarget, startTarget, type Target } from './target.ts'
import { buildBaselines, builtSimulator, installPeers, simulatorOf } from './targets.ts'

/**
 * Measures the built simulator and two servers that send the same bytes: `npm run bench`. The targets take turns within every
 * round, and rounds are short, so that noise of the machine affects all of them. A figure is the median of the rounds.
 */
const usage = `npm run bench -- [--seconds 1] [--rounds 15] [--connections 16] [--cold 200] [--beside FOLDER] [--node 24] [--peers] [--replicas]
  seconds      duration of each load in each round, after a warm-up of five seconds
  rounds       number of rounds; figures are medians
  connections  number of concurrent connections; with --replicas those to each process, by default 64
  cold         number of new models in each round
  beside       another checkout with its node_modules, which is built and measured in the same rounds
  node         24: everything runs on the Node of the image, which is installed in a temporary folder
  peers        measure Prism and Steady, too, which are installed in a temporary folder
  replicas     measure replicas that share a state in Redis, and nothing else; needs redis-server`

interface Options {
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly cold: number
  /** Undefined: no other checkout. */
  readonly beside: string | undefined
  /** Undefined: the Node that runs the bench. */
  readonly node: string | undefined
  readonly peers: boolean
  readonly replicas: boolean
}

const otherBenches = `
Measured elsewhere: POST with 1,000 to 100,000 stored by npm run bench:state, a million requests by bench:soak, the start of
a container by bench:image; npm test checks the size of the package and the memory limits.`

/** The duration of the warm-up of each target under each load. */
const warmUpSeconds = 5

/** The number of events that each target has stored when its memory is read. */
const storedEvents = 100_000

const options = readOptions()
if (options.node === undefined) await main(options)
else process.exitCode = runOnOtherNode()

async function main(options: Options): Promise<void> {
  for (const checkout of ['.', options.beside ?? []].flat())
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit', cwd: checkout })
  const folder = mkdtempSync(join(tmpdir(), 'convsim-bench-'))
  try {
    if (options.replicas) return await benchReplicas(folder, options)
    const peers = options.peers ? installPeers(folder) : { targets: [], missing: [] }
    const other = options.beside === undefined ? [] : [simulatorOf(resolve(options.beside), 'beside', folder)]
    const targets = [builtSimulator(folder), ...(await buildBaselines(folder)), ...other, ...peers.targets]
    const names = targets.map(({ name }) => name)
    const rows = [
      ...(await measureStarts(targets, options)),
      ...(await measureLoads(targets, options)),
      ...(await measureMemory(targets, options)),
    ]
    console.log(
      `Node ${process.version}, ${availableParallelism()} cores, median of ${options.rounds} rounds, ` +
        `${options.seconds} s each, ${options.connections} connections\n\n${formatTable(names, rows)}\n\n${formatGoals(names, rows)}`,
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
    const analytics = await measureLoad(started, warmAnalytics, options)
    const events = await measureLoad(started, newEvent, options)
    const cold = await measureCold(started, options)
    return [
      ...toRows('GET analytics 30d', analytics),
      ...toRows('POST events', events),
      ...toRows('GET analytics 90d, new models', cold).slice(1), // sequential requests have no meaningful rate
    ]
  } finally {
    await Promise.all(started.map((one) => one.stop()))
  }
}

async function measureLoad(
  started: readonly StartedTarget[],
  source: RequestSource,
  { connections, seconds, rounds }: Options,
): Promise<LoadResult[][]> {
  const figures = started.map((): LoadResult[] => [])
  for (const one of started) await runLoad(one, source, connections, { duration: warmUpSeconds })
  await eachRound(rounds, started, async (one, index) => {
    figures[index]?.push(await runLoad(one, source, connections, { duration: seconds }))
  })
  return figures
}

/** Reads the memory of each target at its start, and after the same number of requests to each. */
async function measureMemory(targets: readonly Target[], { connections }: Options): Promise<Row[]> {
  const idle: (number | undefined)[] = []
  const loaded: (number | undefined)[] = []
  for (const target of targets) {
    await target.reset?.()
    const started = await startTarget(target, await freePort(), warmAnalytics)
    idle.push(started.residentMb())
    await runLoad(started, warmAnalytics, connections, { amount: storedEvents / 5 })
    await runLoad(started, newEvent, connections, { amount: storedEvents })
    loaded.push(started.residentMb())
    await started.stop()
  }
  return [
    { name: 'resident idle, MB', values: idle },
    { name: `resident after ${storedEvents} events, MB`, values: loaded },
  ]
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
      connections: { type: 'string' },
      cold: text('200'),
      beside: { type: 'string' },
      node: { type: 'string' },
      peers: { type: 'boolean', default: false },
      replicas: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const connections = values.connections ?? (values.replicas ? '64' : '16')
  const texts = { ...values, connections }
  const whole = (name: 'seconds' | 'rounds' | 'connections' | 'cold') => {
    if (/^[1-9]\d{0,5}$/.test(texts[name])) return Number(texts[name])
    throw new Error(`--${name} takes a whole number from 1; got "${texts[name]}"\n${usage}`)
  }
  if (values.node !== undefined && values.node !== '24') throw new Error(`--node takes 24\n${usage}`)
  return {
    seconds: whole('seconds'),
    rounds: whole('rounds'),
    connections: whole('connections'),
    cold: whole('cold'),
    beside: values.beside,
    node: values.node,
    peers: values.peers,
    replicas: values.replicas,
  }
}

/** Runs the bench once more on the Node that `--node` names. Returns its exit code. */
function runOnOtherNode(): number {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-node-'))
  try {
    const node = installNode(folder)
    const others = process.argv.slice(2)
    others.splice(others.indexOf('--node'), 2)
    const tsx = join(process.cwd(), 'node_modules/tsx/dist/cli.mjs')
    const { status } = spawnSync(node, [tsx, 'test/bench/bench.ts', ...others], {
      stdio: 'inherit',
      env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}` },
    })
    return status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
