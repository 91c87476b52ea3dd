import { StoreUnavailableError } from '../store.ts'
import type { ClockComparison } from './clock-comparison.ts'
import type { RedisConnection, RedisReply, Script } from './connection.ts'
import { sharedKeys } from './keys.ts'
import type { RedisLocation } from './location.ts'
import { FORMAT_MARK } from './lua/view.ts'

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

/**
 * Marks the state with its format, and compares the clocks. Returns a sentence about a state of another format;
 * undefined: the format is ours.
 */
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
  return `the keys with the prefix "${prefix}" have the format "${String(reply.found)}", and this version knows "${FORMAT_MARK}". Use the version that wrote them, or another prefix (--state-prefix).`
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
