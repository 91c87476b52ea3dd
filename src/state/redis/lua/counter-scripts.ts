import { sandboxScript } from './prelude.ts'

/**
 * The milliseconds by which the clocks of two replicas can differ: a window that begins so much in the future was
 * opened by another replica, and is open. One that begins later has ended, since the sandbox's clock was set back.
 */
export const CLOCK_TOLERANCE_MS = 3000

/**
 * The first arguments: `sequences` or `windows`; the field; the largest number of fields; the milliseconds after which
 * unused fields are forgotten. `touch` makes the field the last, and evicts the first beyond the largest number.
 */
const FIELDS = `
local kind, field, most, lifeMs = unpack(args)
local fields, order = tag .. kind, tag .. kind .. '-order'
local function touch()
  local last = redis.call('ZREVRANGE', order, 0, 0, 'WITHSCORES')
  write('ZADD', order, tonumber(last[2] or '0') + 1, field)
  local first = redis.call('ZCARD', order) > tonumber(most) and write('ZPOPMIN', order)
  if first then write('HDEL', fields, first[1]) end
end
local function expire()
  if redis.call('PTTL', fields) >= tonumber(lifeMs) then return end
  write('PEXPIRE', fields, lifeMs)
  write('PEXPIRE', order, lifeMs)
end
`

/** Advances a sequence. Returns the count before. */
export const NEXT_SEQUENCE_INDEX = sandboxScript(`${FIELDS}
local before = count(kind, field)
write('HINCRBY', fields, field, 1)
touch()
expire()
return {before}`)

/**
 * Consumes one unit of a rate window, unless none is left, and opens it if none is open. More arguments: the limit, the
 * present time, the end of a window that opens now. Returns the units that were used before, and the end of the window.
 */
export const CONSUME_RATE = sandboxScript(`${FIELDS}
local limit, now, newEnd = unpack(args, 5)
local opened, ends, used = string.match(read(kind, field), '^(%S+) (%S+) (%S+)$')
local isOpen = opened and tonumber(opened) <= now + ${CLOCK_TOLERANCE_MS} and tonumber(now) < tonumber(ends)
if not isOpen then opened, ends, used = now, newEnd, '0' end
local taken = tonumber(used) < tonumber(limit) and 1 or 0
write('HSET', fields, field, opened .. ' ' .. ends .. ' ' .. string.format('%d', used + taken))
if not isOpen then touch() end
expire()
return {used, ends}`)

/** Returns the sequences in the order of their latest use, each with its count. */
export const LIST_SEQUENCES = sandboxScript(`
local listed = {}
for _, field in ipairs(redis.call('ZRANGE', tag .. 'sequences-order', 0, -1)) do
  listed[#listed + 1] = {field, count('sequences', field)}
end
return listed`)
