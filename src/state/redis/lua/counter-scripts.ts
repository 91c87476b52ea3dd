import type { Script } from '../connection.ts'

/** A rate window as it is stored. Times are epoch milliseconds. */
export interface RateWindowRecord {
  readonly opened: number
  readonly ends: number
  readonly used: number
}

/**
 * The milliseconds by which the clocks of two replicas can differ: a window that begins so much in the future was
 * opened by another replica, and is open. One that begins later has ended, since the sandbox's clock was set back. So a
 * clock that is set back by less leaves its windows open.
 */
export const CLOCK_TOLERANCE_MS = 3000

/** Returns true if a rate window is open, as `CONSUME_RATE` decides it in Redis. */
export function isOpen({ opened, ends }: RateWindowRecord, now: number): boolean {
  return opened <= now + CLOCK_TOLERANCE_MS && now < ends
}

/** The lines of a script that make a field of a hash the last of an order, and evict the first beyond a limit. */
const touch = (limit: string) => `
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
redis.call('ZADD', KEYS[2], (tonumber(last[2] or '0') + 1), ARGV[1])
if redis.call('ZCARD', KEYS[2]) > tonumber(${limit}) then
  local first = redis.call('ZPOPMIN', KEYS[2])
  redis.call('HDEL', KEYS[1], first[1])
end`

/**
 * Advances a sequence. KEYS: sequences, their order. ARGV: the field, the largest number of sequences, the milliseconds
 * after which unused sequences are forgotten. Returns the count before.
 */
export const NEXT_SEQUENCE_INDEX: Script = {
  keys: 2,
  text: `
local count = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
${touch('ARGV[2]')}
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return count - 1`,
}

/**
 * Consumes one unit of a rate window, and opens it if none is open (see `isOpen`). KEYS: windows, their order. ARGV:
 * the field, the largest number of windows, the milliseconds after which they are forgotten, the limit, the present
 * time, the end of a window that opens now. Returns `allowed` or `refused`, the used units, and the end of the window.
 */
export const CONSUME_RATE: Script = {
  keys: 2,
  text: `
local opened, ends, used = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%S+) (%S+) (%S+)$')
local now = tonumber(ARGV[5])
if not opened or tonumber(opened) > now + ${CLOCK_TOLERANCE_MS} or now >= tonumber(ends) then
  opened, ends, used = ARGV[5], ARGV[6], '0'
  ${touch('ARGV[2]')}
end
local count = tonumber(used)
local outcome = count < tonumber(ARGV[4]) and 'allowed' or 'refused'
if outcome == 'allowed' then count = count + 1 end
redis.call('HSET', KEYS[1], ARGV[1], opened .. ' ' .. ends .. ' ' .. string.format('%d', count))
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return {outcome, count, ends}`,
}

/** Lists the sequences by their last use. KEYS: sequences, their order. Returns keys and counts in turn. */
export const LIST_SEQUENCES: Script = {
  keys: 2,
  text: `
local listed = {}
for _, field in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  listed[#listed + 1] = field
  listed[#listed + 1] = redis.call('HGET', KEYS[1], field) or '0'
end
return listed`,
}
