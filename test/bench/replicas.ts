import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startRedis } from '../support/redis-server.ts'
import { measureLargeSandbox } from './large-sandbox.ts'
import { type RequestSource, runLoad } from './load.ts'
import { newEvent, warmAnalytics } from './requests.ts'
import { median } from './table.ts'
import { freePort, type StartedTarget, startTarget, type Target } from './target.ts'
import { builtSimulator } from './targets.ts'

/** The options of a measurement of replicas; see `npm run bench -- --help`. */
export interface ReplicaBenchOptions {
  readonly seconds: number
  readonly rounds: number
  /** The number of concurrent connections to each process. */
  readonly connections: number
}

/** One or more processes that share a load. */
interface Group {
  readonly name: string
  readonly members: readonly StartedTarget[]
}

interface Measured {
  readonly perSecond: number
  /** Processor time of the simulators for each request, microseconds. */
  readonly cpu: number
}

/** The number of events of a large sandbox. */
const LARGE = 400_000

/** Seconds of load before the first measurement. */
const WARM_UP = 5

const loads: readonly [string, RequestSource][] = [
  ['GET', warmAnalytics],
  ['POST', newEvent],
]

/**
 * Measures one replica on Redis beside one on a file, three replicas beside three that share nothing, and a large
 * sandbox.
 */
export async function benchReplicas(folder: string, options: ReplicaBenchOptions): Promise<void> {
  const redis = await startRedis()
  const started: StartedTarget[] = []
  const start = async (target: Target) => {
    const running = await startTarget(target, await freePort(), warmAnalytics)
    started.push(running)
    return running
  }
  const onRedis = (prefix: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => start(targetOn(folder, redis.url, prefix))))
  try {
    const groups: Group[] = [
      { name: 'file', members: [await start(builtSimulator(folder))] },
      { name: 'one', members: await onRedis('one', 1) },
      { name: 'three', members: await onRedis('three', 3) },
      { name: 'apart', members: (await Promise.all(['a', 'b', 'c'].map((name) => onRedis(name, 1)))).flat() },
    ]
    console.log(
      `Node ${process.version}, ${availableParallelism()} cores, median of ${options.rounds} rounds, ` +
        `${options.seconds} s each, ${options.connections} connections to each process\n`,
    )
    for (const [name, source] of loads) await measureLoad(name, source, groups, options)
    await measureLargeSandbox(LARGE)
  } finally {
    for (const each of started) await each.stop()
    await redis.close()
  }
}

function targetOn(folder: string, url: string, prefix: string): Target {
  const built = builtSimulator(join(folder, prefix))
  return {
    ...built,
    arguments: (port) => {
      const [script = ''] = built.arguments(port)
      return [script, '--port', String(port), '--state', url, '--state-prefix', prefix]
    },
  }
}

async function measureLoad(
  name: string,
  source: RequestSource,
  groups: readonly Group[],
  { seconds, rounds, connections }: ReplicaBenchOptions,
): Promise<void> {
  for (const group of groups) await runOn(group, source, connections, WARM_UP)
  const results = new Map<string, Measured[]>(groups.map((group) => [group.name, []]))
  for (let round = 0; round < rounds; round += 1)
    for (const group of groups) results.get(group.name)?.push(await runOn(group, source, connections, seconds))
  const figure = (group: string, member: keyof Measured) =>
    median((results.get(group) ?? []).map((measured) => measured[member]))
  for (const { name: group } of groups)
    console.log(
      `${name} ${group.padEnd(6)} ${Math.round(figure(group, 'perSecond'))} requests/s, ` +
        `${figure(group, 'cpu').toFixed(1)} µs of processor time each`,
    )
  const ratio = (one: string, other: string, member: keyof Measured) =>
    (figure(one, member) / figure(other, member)).toFixed(2)
  console.log(
    `${name} one replica on Redis against one on a file: ${ratio('one', 'file', 'perSecond')} of the requests/s, ` +
      `${ratio('one', 'file', 'cpu')} of the processor time for each request\n` +
      `${name} three replicas against three that share nothing: ${ratio('three', 'apart', 'cpu')} of the same\n`,
  )
}

async function runOn({ members }: Group, source: RequestSource, connections: number, duration: number) {
  const before = members.map(cpuMs)
  const results = await Promise.all(members.map((member) => runLoad(member, source, connections, { duration })))
  const answers = results.reduce((sum, result) => sum + result.answers, 0)
  const cpu = members.reduce((sum, member, index) => sum + cpuMs(member) - (before[index] ?? 0), 0)
  return { perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0), cpu: (cpu * 1000) / answers }
}

/** Returns the processor time of a process so far, from Linux: user and system time in ticks of 10 ms. */
function cpuMs({ pid }: StartedTarget): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [utime = 0, stime = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (utime + stime) * 10
}
