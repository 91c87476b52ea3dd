import { createScript } from '../connection.ts'

/**
 * The milliseconds by which the clocks of two replicas can differ: a window that begins so much in the future was
 * opened by another replica, and is open. One that begins later has ended, since the sandbox's clock was set back.
 */
export const CLOCK_TOLERANCE_MS = 3000

/**
 * KEYS: a hash, and the order of its fields. ARGV: the field; the steps of a fork, or empty; the largest number of
 * fields; the milliseconds after which unused fields are forgotten. `touch` makes the field the last, and evicts the
 * first beyond the largest number.
 */
const FIELDS = `
local own = tonumber(ARGV[2])
local function touch()
  local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  redis.call('ZADD', KEYS[2], (tonumber(last[2] or '0') + 1), ARGV[1])
  if redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[3]) then
    local first = redis.call('ZPOPMIN', KEYS[2])
    redis.call('HDEL', KEYS[1], first[1])
  end
end
local function expire()
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
end
`

/** Advances a sequence. Returns the count before. */
export const NEXT_SEQUENCE_INDEX = createScript(`${FIELDS}
if own then return tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0') + own end
local count = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
touch()
expire()
return count - 1`)

/**
 * Consumes one unit of a rate window, and opens it if none is open. More ARGV: the limit, the present time, the end of
 * a window that opens now. Returns `allowed` or `refused`, the used units, and the end of the window.
 */
export const CONSUME_RATE = createScript(`${FIELDS}
local opened, ends, used = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%S+) (%S+) (%S+)$')
local now = tonumber(ARGV[6])
if not opened or tonumber(opened) > now + ${CLOCK_TOLERANCE_MS} or now >= tonumber(ends) then
  opened, ends, used = ARGV[6], ARGV[7], '0'
  if not own then touch() end
end
local count = tonumber(used) + (own or 0)
local outcome = count < tonumber(ARGV[5]) and 'allowed' or 'refused'
if outcome == 'allowed' then count = count + 1 end
if own then return {outcome, count, ends} end
redis.call('HSET', KEYS[1], ARGV[1], opened .. ' ' .. ends .. ' ' .. string.format('%d', count))
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then expire() end
return {outcome, count, ends}`)

/** Returns the sequences in the order of their latest use, and their counts in turn. */
export const LIST_SEQUENCES = createScript(`
local listed = {}
for _, field in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  listed[#listed + 1] = field
  listed[#listed + 1] = redis.call('HGET', KEYS[1], field) or '0'
end
return listed`)
