import type { RedisConnection, Script } from './connection.ts'
import { sharedKeys } from './keys.ts'

/**
 * Notes the contract of the replica that started last. KEYS: contract, replicas. ARGV: the digest, the milliseconds after which a silent
 * replica counts as ended. Returns 1 if a replica is alive, and the one before had another contract.
 */
const NOTE_CONTRACT = `
local before = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1])
local time = redis.call('TIME')
local since = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) - tonumber(ARGV[2])
local alive = redis.call('ZCOUNT', KEYS[2], string.format('%.0f', since), '+inf')
return (before and before ~= ARGV[1] and alive > 0) and 1 or 0`

const noteScript: Script = { text: NOTE_CONTRACT, keys: 2 }

/** Notes the digest of this replica's contract. Returns true if the replica that started before it had another, and any is still alive. */
export async function noteContract(
  connection: RedisConnection,
  prefix: string,
  digest: string,
  deadAfterMs: number,
): Promise<boolean> {
  const { contract, replicas } = sharedKeys(prefix)
  return (await connection.run(noteScript, [contract, replicas], [digest, deadAfterMs])) === 1
}
