import type { RedisConnection, Script } from './connection.ts'
import { sharedKeys } from './keys.ts'

/**
 * Notes the inputs of the replica that started last. KEYS: inputs, replicas. ARGV: the digest, the milliseconds after which a silent
 * replica counts as ended. Returns 1 if a replica is alive, and the one before had other inputs.
 */
const NOTE_INPUTS = `
local before = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1])
local time = redis.call('TIME')
local since = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) - tonumber(ARGV[2])
local alive = redis.call('ZCOUNT', KEYS[2], string.format('%.0f', since), '+inf')
return (before and before ~= ARGV[1] and alive > 0) and 1 or 0`

const noteScript: Script = { text: NOTE_INPUTS, keys: 2 }

/** Notes the digest of this replica's inputs. Returns true if the replica that started before it had others, and any is still alive. */
export async function noteInputs(
  connection: RedisConnection,
  prefix: string,
  digest: string,
  deadAfterMs: number,
): Promise<boolean> {
  const { inputs, replicas } = sharedKeys(prefix)
  return (await connection.run(noteScript, [inputs, replicas], [digest, deadAfterMs])) === 1
}
