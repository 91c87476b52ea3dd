import { spawnSync } from 'node:child_process'
import { newEvent, warmAnalytics } from '../bench/requests.ts'
import { freePort, type StartedTarget, send, startTarget } from '../bench/target.ts'
import { type RedisServer, startRedis } from '../support/redis-server.ts'
import { cli, Trial } from './trial.ts'

const RIGHTS = 'reset on >pw ~{convsim* +@read +@write +@scripting +@connection +info'

/** The rights to commands that an event does not need, while other requests do. */
const NOT_OF_EVENTS = ['-set', '-zadd', '-incr', '-hlen', '-exists', '-hget', '-@string', '-@sortedset']

/** The states of a Redis or of its user's rights, each as the command that begins it and the one that ends it. */
const STATES: readonly (readonly [begin: string, end: string])[] = [
  ['config set maxmemory 1', 'config set maxmemory 0'],
  ['config set min-replicas-to-write 1', 'config set min-replicas-to-write 0'],
  ['replicaof 127.0.0.1 1', 'replicaof no one'],
  ...[
    ...['-@scripting', '-@write', '-@read', '-@hash', '-@keyspace', '+@all'],
    ...['-hset', '-hsetnx', '-hincrby', '-hmget', ...NOT_OF_EVENTS],
    ...['resetkeys ~other:*', 'resetkeys ~{convsim}:*', 'resetkeys ~{convsim:* ~x', 'resetkeys %R~*', 'resetkeys %W~*'],
  ].map((rule) => [`acl setuser limited ${rule}`, `acl setuser limited ${RIGHTS}`] as const),
]

/** Takes rights and memory from a Redis while a simulator uses it. Health, requests and a start have to agree. */
export class RedisTrial extends Trial {
  #started: { readonly redis: RedisServer; readonly server: StartedTarget } | undefined

  get #parts() {
    if (!this.#started) throw new Error('the trial is not started')
    return this.#started
  }

  /** Starts a Redis and a simulator with a limited user. */
  override async start(): Promise<void> {
    const redis = await startRedis()
    runCommand(redis, `acl setuser limited ${RIGHTS}`)
    this.#started = { redis, server: await startSimulator(redis) }
  }

  /** Begins one or two states, compares what health, events and a start say, and ends the states. */
  override async run(): Promise<void> {
    const states = [this.pick(STATES), ...(this.chance() < 0.3 ? [this.pick(STATES)] : [])]
    for (const [begin] of states) runCommand(this.#parts.redis, begin)
    const cause = states.map(([begin]) => begin).join(', ')
    await this.#compare(cause, this.chance() < 0.3)
    for (const [, end] of states) runCommand(this.#parts.redis, end)
    if ((await this.#compare(`after ${cause}`, false)) !== 200)
      this.numbers.fault(`after ${cause}: health is not 200 again`)
  }

  async #compare(cause: string, isStarted: boolean): Promise<number> {
    this.numbers.add('states of Redis')
    const { origin } = new URL(this.#parts.server.url)
    const health = await send(origin, { method: 'GET', path: '/__sim/health', headers: {} })
    const stored = await send(this.#parts.server.url, newEvent())
    const said = `${cause}: health says ${health.text}`
    const mayDiffer = health.status === 503 && NOT_OF_EVENTS.some((right) => cause.includes(right))
    if ((health.status === 200) !== (stored.status === 201) && !mayDiffer)
      this.numbers.fault(`${said}, and an event gets ${stored.status} ${stored.text}`)
    if (health.status !== 200) this.numbers.add('states of Redis that refuse events')
    if (!isStarted) return health.status
    this.numbers.add('starts on such a Redis')
    const second = await startSimulator(this.#parts.redis).catch(() => undefined)
    if ((second !== undefined) !== (health.status === 200))
      this.numbers.fault(`${said}, and a start ${second ? 'succeeds' : 'is refused'}`)
    await second?.stop()
    return health.status
  }

  override async close(): Promise<void> {
    await this.#parts.server.stop()
    await this.#parts.redis.close()
  }
}

function runCommand({ port }: RedisServer, command: string): void {
  const { stdout } = spawnSync('redis-cli', ['-p', String(port), ...command.split(' ')], { encoding: 'utf8' })
  if (stdout.trim() !== 'OK') throw new Error(`${command}: ${stdout}`)
}

async function startSimulator({ port: redisPort }: RedisServer): Promise<StartedTarget> {
  const state = `redis://limited:pw@127.0.0.1:${redisPort}`
  const args = (port: number) => [cli, '--port', String(port), '--state', state]
  return startTarget({ name: 'convsim', base: '/v1', arguments: args }, await freePort(), warmAnalytics)
}
