import { machineNow } from '../../core/timers.ts'
import { StoreUnavailableError } from '../store.ts'
import type { RedisConnection, RedisReply, Script } from './connection.ts'
import { isErrorReply } from './faults.ts'
import { sharedKeys } from './keys.ts'
import type { RedisLocation } from './location.ts'
import { CLOCK_TOLERANCE_MS } from './lua/counter-scripts.ts'
import { FORMAT_MARK } from './lua/view.ts'

/** Compares the clock of this machine with that of Redis, and reports once if they differ too much. */
export class ClockComparison {
  readonly #report: (problem: string) => void
  readonly #now: () => number
  #isReported = false

  constructor(report: (problem: string) => void, now: () => number = machineNow) {
    this.#report = report
    this.#now = now
  }

  /** Sends a command whose reply has the time of Redis, and compares that with the times before and after. */
  async compare<Reply extends { readonly redisMs: number }>(send: () => Promise<Reply>): Promise<Reply> {
    const before = this.#now()
    const reply = await send()
    const aheadMs = Math.max(0, before - reply.redisMs) - Math.max(0, reply.redisMs - this.#now())
    const isOff = Math.abs(aheadMs) > CLOCK_TOLERANCE_MS
    if (isOff && !this.#isReported) this.#report(describeDifference(aheadMs))
    this.#isReported = isOff
    return reply
  }
}

function describeDifference(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1)
  const direction = aheadMs > 0 ? 'ahead of' : 'behind'
  return (
    `The clock of this machine is ${seconds} s ${direction} that of Redis. Limits of requests hold across replicas ` +
    `whose clocks differ by less than ${CLOCK_TOLERANCE_MS / 1000} s. Synchronise the clocks of all machines.`
  )
}

/** Marks a state with its format. KEYS: format. ARGV: the mark. Returns the mark that it has, and the time of Redis. */
const MARK_FORMAT: Script = {
  keys: 1,
  text: `
local found = redis.call('GET', KEYS[1])
local time = redis.call('TIME')
if found and found ~= ARGV[1] then return {found, time[1], time[2]} end
redis.call('SET', KEYS[1], ARGV[1])
return {ARGV[1], time[1], time[2]}`,
}

/** Marks the state with its format, and compares the clocks. Returns a sentence about another format, if so. */
export async function findFormatFault(
  connection: RedisConnection,
  prefix: string,
  clocks: ClockComparison,
): Promise<string | undefined> {
  const reply = await clocks.compare(async () => {
    const [found, seconds, micros] = (await connection.run(
      MARK_FORMAT,
      [sharedKeys(prefix).format],
      [FORMAT_MARK],
    )) as RedisReply[]
    return { found, redisMs: Number(seconds) * 1000 + Number(micros) / 1000 }
  })
  if (reply.found === FORMAT_MARK) return undefined
  return (
    `the keys with the prefix "${prefix}" have the format "${String(reply.found)}", and this version knows ` +
    `"${FORMAT_MARK}". Use the version that wrote them, or another prefix (--state-prefix).`
  )
}

/** Finds why Redis takes no changes at present, by writing the mark of the format again; undefined: it takes them. */
export async function findWriteFault(
  connection: RedisConnection,
  { prefix, shown }: RedisLocation,
  clocks: ClockComparison,
): Promise<string | undefined> {
  try {
    const fault = await findFormatFault(connection, prefix, clocks)
    return fault && `The state in ${shown} cannot be used: ${fault}`
  } catch (error) {
    if (error instanceof StoreUnavailableError) return error.message
    throw error
  }
}

/**
 * Notes the digest of this replica's inputs. Returns true if the replica that started before it had others, and any is
 * still connected.
 */
export async function noteInputs(connection: RedisConnection, prefix: string, digest: string): Promise<boolean> {
  const before = await connection.call('set', sharedKeys(prefix).inputs, digest, 'GET')
  return before !== null && before !== digest && (await isOtherConnected(connection))
}

/** Returns true if another process has a connection of the same name, and Redis may list its clients. */
async function isOtherConnected(connection: RedisConnection): Promise<boolean> {
  try {
    const clients = String(await connection.call('client', 'LIST', 'TYPE', 'normal'))
    return clients.split('\n').filter((line) => line.includes(` name=${connection.name} `)).length > 1
  } catch (error) {
    if (error instanceof Error && isErrorReply(error.cause)) return false
    throw error
  }
}
