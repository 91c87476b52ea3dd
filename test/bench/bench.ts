import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { formatGoals } from './goals.ts'
import { type LoadResult, loadRows, type RequestSource, runLoad } from './load.ts'
import { coldAnalytics, newEvent, warmAnalytics } from './requests.ts'
import { eachRound, formatTable, median, type Row } from './table.ts'
import { freePort, type StartedTarget, startTarget, type Target } from './target.ts'
import { buildBaselines, builtSimulator, simulatorOf, withBuild } from './targets.ts'

/*
 * `npm run bench` measures the built simulator and two plain servers that replay its recorded responses. The targets
 * take turns in every round, and rounds are short, so that noise on the machine affects all targets alike. Each
 * result is the median of all rounds, except for memory, which is measured once.
 */
const usage = `npm run bench -- [--seconds 1] [--rounds 15] [--connections 16] [--beside FOLDER]
  seconds      duration of each timed load in each round; a five-second warm-up comes before the first round
  rounds       number of rounds; each result other than memory is the median of all rounds
  connections  number of concurrent connections
  beside       another checkout to build and measure in the same rounds; its packages must be installed`

/** The duration of each target's warm-up, which comes before the first round of each timed load. */
const warmUpSeconds = 5

/** The number of new models whose analytics are requested from each target in each round. */
const coldModels = 200

/** The number of events that are sent to each target before its memory is read again. */
const storedEvents = 100_000

const options = readOptions()
const otherCheckouts = options.beside === undefined ? [] : [resolve(options.beside)]
await withBuild(
  async (folder) => {
    const beside = otherCheckouts.map((checkout) => simulatorOf(checkout, 'beside', folder))
    const targets = [builtSimulator(folder), ...(await buildBaselines(folder)), ...beside]
    const names = targets.map(({ name }) => name)
    const rows = [await measureStarts(targets), ...(await measureLoads(targets)), ...(await measureMemory(targets))]
    console.log(
      `Node ${process.version}, cores: ${availableParallelism()}, connections: ${options.connections}, ` +
        `seconds per load: ${options.seconds}, rounds: ${options.rounds} (results except memory are medians)\n\n` +
        `${formatTable(names, rows)}\n\n${formatGoals(names, rows)}`,
    )
  },
  ...otherCheckouts,
)

async function measureStarts(targets: readonly Target[]): Promise<Row> {
  const times = await eachRound(options.rounds, targets, async (target) => {
    const started = await startTarget(target, await freePort(), warmAnalytics)
    await started.stop()
    return started.readyMs
  })
  return { name: 'start to first 200, ms', values: times.map(median) }
}

async function measureLoads(targets: readonly Target[]): Promise<Row[]> {
  const started: StartedTarget[] = []
  try {
    for (const target of targets) started.push(await startTarget(target, await freePort(), warmAnalytics))
    const cold = () =>
      eachRound(options.rounds, started, (one) => runLoad(one, coldAnalytics, 1, { amount: coldModels }))
    return [
      ...loadRows('GET analytics 30d', await measureLoad(started, warmAnalytics)),
      ...loadRows('POST events', await measureLoad(started, newEvent)),
      ...loadRows('GET analytics 90d, new models', await cold()).slice(1), // no rate, since one connection limits it
    ]
  } finally {
    await Promise.all(started.map((one) => one.stop()))
  }
}

async function measureLoad(started: readonly StartedTarget[], source: RequestSource): Promise<LoadResult[][]> {
  const { connections, seconds } = options
  for (const one of started) await runLoad(one, source, connections, { duration: warmUpSeconds })
  return eachRound(options.rounds, started, (one) => runLoad(one, source, connections, { duration: seconds }))
}

/** Reads each target's memory after startup, and again after a load that is the same for every target. */
async function measureMemory(targets: readonly Target[]): Promise<Row[]> {
  const idle: (number | undefined)[] = []
  const loaded: (number | undefined)[] = []
  for (const target of targets) {
    await target.reset?.()
    const started = await startTarget(target, await freePort(), warmAnalytics)
    idle.push(started.residentMb())
    await runLoad(started, warmAnalytics, options.connections, { amount: storedEvents / 5 })
    await runLoad(started, newEvent, options.connections, { amount: storedEvents })
    loaded.push(started.residentMb())
    await started.stop()
  }
  return [
    { name: 'resident idle, MB', values: idle },
    { name: `resident after ${storedEvents} events, MB`, values: loaded },
  ]
}

function readOptions() {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    options: { seconds: text, rounds: text, connections: text, beside: text, help: flag },
  })
  const { seconds = '1', rounds = '15', connections = '16', beside } = values
  const isValid = [seconds, rounds, connections].every((number) => /^[1-9]\d{0,5}$/.test(number))
  if (values.help || !isValid) {
    console.log(usage)
    process.exit(isValid ? 0 : 1)
  }
  return { seconds: Number(seconds), rounds: Number(rounds), connections: Number(connections), beside }
}
