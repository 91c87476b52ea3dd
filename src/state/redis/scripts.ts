import { CLOCK_TOLERANCE_MS } from './rate-window.ts'
import { LEASE_MS, QUIET_MS } from './read-leases.ts'

/** The scripts that run in Redis. Each is one atomic step, on the keys of one sandbox or on those that all sandboxes share. */

/**
 * Compares the log with the caller's copy, and changes it only if they are the same, and no other replica has a read lease. An append is also
 * stored behind changes that the copy lacks if it does not depend on them: no two have the same key (see `formatLine`). A read of the
 * same copy is granted a lease, if nothing was changed lately, no replica waits to change something, and Redis takes changes. The key of the lease has the
 * replica that has it, `*` for several, `wait` where one waits for its end, and nothing after a change.
 *
 * Leases and reservations are set by `pcall`: a Redis that is full, or a copy of another, refuses them, and answers the read all the same.
 *
 * KEYS: log, head, snapshot, the four keys of the counters, and the lease. ARGV: the incarnation and the length of the caller's copy; the incarnation
 * of a log that begins; `read`, `append`, `discard` (append, and discard the counters) or `delete`; the id of the replica; the milliseconds
 * for which it reserves the log if it is too late, or 0; the changes.
 * Returns [1] if the copy was the same, [1, 1] with a lease; [4, changes that the copy lacks] if the changes were stored behind them; [0, changes that the
 * copy lacks] if they were not; [2, incarnation, base, snapshot, all changes] if the copy cannot be
 * continued: the log is another one, or was trimmed; or [3] if another replica has reserved the log, or has a lease.
 */
export const EXCHANGE = `
local head = redis.call('HMGET', KEYS[2], 'incarnation', 'base', 'turn', 'turn-ends')
local incarnation = head[1] or ''
local base = tonumber(head[2] or '0')
local length = base + redis.call('LLEN', KEYS[1])
local known = tonumber(ARGV[2])
local mode = ARGV[4]
local now = 0
local taken = false
if mode ~= 'read' and head[3] ~= '' and head[3] or ARGV[6] ~= '0' then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  taken = head[3] and head[3] ~= '' and head[3] ~= ARGV[5] and now < tonumber(head[4])
end
local continues = incarnation == ARGV[1] and known >= base and known < length
local missed = continues and redis.call('LRANGE', KEYS[1], known - base, -1) or {}
local function dependsOn(missed)
  local keys = { [''] = true }
  for index = 7, #ARGV do
    local key = string.match(ARGV[index], '^[^\\n]*')
    if key == '' then return true end
    keys[key] = true
  end
  for _, line in ipairs(missed) do
    if keys[string.match(line, '^[^\\n]*')] then return true end
  end
  return false
end
if (incarnation ~= ARGV[1] or known ~= length) and not (continues and mode == 'append' and not dependsOn(missed)) then
  if incarnation ~= '' and ARGV[6] ~= '0' and not taken then
    redis.pcall('HSET', KEYS[2], 'turn', ARGV[5], 'turn-ends', string.format('%.0f', now + tonumber(ARGV[6])))
  end
  if continues then return {0, missed} end
  return {2, incarnation, base, redis.call('GET', KEYS[3]) or '', redis.call('LRANGE', KEYS[1], 0, -1)}
end
local lease = redis.call('GET', KEYS[8])
if mode == 'read' then
  if lease == '' or lease == 'wait' then return {1} end
  local granted = redis.pcall('SET', KEYS[8], (lease and lease ~= ARGV[5]) and '*' or ARGV[5], 'PX', ${LEASE_MS})
  return granted.err and {1} or {1, 1}
end
if taken then return {3} end
if lease and lease ~= '' and lease ~= ARGV[5] then
  redis.pcall('SET', KEYS[8], 'wait', 'KEEPTTL')
  return {3}
end
if mode == 'delete' then
  redis.call('DEL', unpack(KEYS))
elseif head[3] == ARGV[5] then
  redis.call('HSET', KEYS[2], 'turn', '')
end
redis.call('SET', KEYS[8], '', 'PX', ${QUIET_MS})
if mode == 'delete' then return {1} end
if mode == 'discard' then redis.call('DEL', KEYS[4], KEYS[5], KEYS[6], KEYS[7]) end
if #ARGV > 6 then
  if incarnation == '' then redis.call('HSET', KEYS[2], 'incarnation', ARGV[3], 'base', 0) end
  for index = 7, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[index]) end
end
if #missed > 0 then return {4, missed} end
return {1}`

/**
 * Claims the next snapshot of a log for a replica.
 *
 * KEYS: head, snapshot. ARGV: the incarnation, the number of changes from which on the replica counts the length of the log, the number of changes that the
 * snapshot is to contain.
 * Returns -1; or the length of the present snapshot if the log is another one, or another replica has claimed a snapshot since the replica began to count.
 */
export const CLAIM_SNAPSHOT = `
local head = redis.call('HMGET', KEYS[1], 'incarnation', 'claimed')
if head[1] ~= ARGV[1] or tonumber(head[2] or '0') > tonumber(ARGV[2]) then return redis.call('STRLEN', KEYS[2]) end
redis.call('HSET', KEYS[1], 'claimed', ARGV[3])
return -1`

/**
 * Stores a snapshot and trims the log.
 *
 * KEYS: log, head, snapshot. ARGV: the incarnation, the number of changes that the snapshot contains, the snapshot.
 * Returns 1; 0 if the log is another one, or has a snapshot that is as new.
 */
export const STORE_SNAPSHOT = `
local head = redis.call('HMGET', KEYS[2], 'incarnation', 'base')
local base = tonumber(head[2] or '0')
local upTo = tonumber(ARGV[2])
if head[1] ~= ARGV[1] or upTo <= base or upTo > base + redis.call('LLEN', KEYS[1]) then return 0 end
redis.call('SET', KEYS[3], ARGV[3])
redis.call('LTRIM', KEYS[1], upTo - base, -1)
redis.call('HSET', KEYS[2], 'base', upTo)
return 1`

/**
 * Adds a sandbox to the list of sandboxes, behind all others, and marks the format, which a Redis that was emptied has lost. KEYS:
 * sandboxes, created, format. ARGV: the entry, the mark of the format.
 */
export const LIST_SANDBOX = `
redis.call('SET', KEYS[3], ARGV[2], 'NX')
return redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[2]), ARGV[1])`

/** The lines of a script that make a field of a hash the last of an order, and evict the first beyond a limit. */
const touch = (hash: string, order: string, limit: string) => `
local last = redis.call('ZREVRANGE', ${order}, 0, 0, 'WITHSCORES')
redis.call('ZADD', ${order}, (tonumber(last[2] or '0') + 1), ARGV[1])
if redis.call('ZCARD', ${order}) > tonumber(${limit}) then
  local first = redis.call('ZPOPMIN', ${order})
  redis.call('HDEL', ${hash}, first[1])
end`

/**
 * Advances a sequence. KEYS: sequences, their order. ARGV: the field, the largest number of sequences, the milliseconds after which
 * unused sequences are forgotten. Returns the count before.
 */
export const NEXT_SEQUENCE_INDEX = `
local count = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
${touch('KEYS[1]', 'KEYS[2]', 'ARGV[2]')}
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return count - 1`

/**
 * Consumes one unit of a rate window, and opens it if none is open (see `isOpen`). KEYS: windows, their order. ARGV: the field, the largest number of
 * windows, the milliseconds after which they are forgotten, the limit, the present time, the end of a window that opens now.
 * Returns [1 if it is allowed, the used units, the end of the window].
 */
export const CONSUME_RATE = `
local opened, ends, used = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%S+) (%S+) (%S+)$')
local now = tonumber(ARGV[5])
if not opened or tonumber(opened) > now + ${CLOCK_TOLERANCE_MS} or now >= tonumber(ends) then
  opened, ends, used = ARGV[5], ARGV[6], '0'
  ${touch('KEYS[1]', 'KEYS[2]', 'ARGV[2]')}
end
local count = tonumber(used)
local allowed = 0
if count < tonumber(ARGV[4]) then
  allowed = 1
  count = count + 1
end
redis.call('HSET', KEYS[1], ARGV[1], opened .. ' ' .. ends .. ' ' .. string.format('%d', count))
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return {allowed, count, ends}`

/** Lists the sequences in the order of their last use. KEYS: sequences, their order. Returns a list of keys and counts in turn. */
export const LIST_SEQUENCES = `
local listed = {}
for _, field in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  listed[#listed + 1] = field
  listed[#listed + 1] = redis.call('HGET', KEYS[1], field) or '0'
end
return listed`

/** The lines of a script that append a message to a stream, whose id is the weight of all messages up to it, and trim the stream. */
const appendMessage = (weight: string, size: string, text: string) => `
local last = redis.call('INCRBY', KEYS[2], ${weight})
local first = string.format('%.0f', math.max(0, last - tonumber(${size}) * math.max(1, redis.call('ZCARD', KEYS[3]))))
redis.call('XADD', KEYS[1], 'MINID', '~', first, string.format('%.0f', last), 'weight', ${weight}, 'text', ${text})`

/**
 * Appends a message to the stream. It has room for all that the processes hold, so that of those that send at the same time none drops the newer
 * exchanges of another. KEYS: stream, its end, the processes. ARGV: the weight of the message, the largest weight that a process holds, the message.
 */
export const APPEND_MESSAGE = appendMessage('ARGV[1]', 'ARGV[2]', 'ARGV[3]')

/**
 * Appends a message, unless one of its name was appended, which a Redis that takes no changes can tell, too. A Redis that was emptied gets the process into its list again, so
 * that the others wait for it. KEYS: those of `APPEND_MESSAGE`, and the name. ARGV: those, the milliseconds for which the name is known from now on, and the id of the process.
 */
export const APPEND_MESSAGE_ONCE = `
local time = redis.call('TIME')
redis.pcall('ZADD', KEYS[3], 'NX', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000), ARGV[5])
if redis.call('EXISTS', KEYS[4]) == 1 then
  redis.pcall('PEXPIRE', KEYS[4], ARGV[4])
  return 0
end
redis.call('SET', KEYS[4], '', 'PX', ARGV[4])
${APPEND_MESSAGE}`

/**
 * Appends a message that says that the stream was lost. The names of messages that were appended once are lost, too, and are stored again before: a message
 * of such a name behind this one would say that nothing of the sandbox is lost. KEYS: those of `APPEND_MESSAGE`. ARGV: the largest weight that a process
 * holds, the message, the milliseconds for which the names are known, their keys.
 */
export const APPEND_LOSS = `
for index = 4, #ARGV do redis.call('SET', ARGV[index], '', 'PX', ARGV[3]) end
${appendMessage("'1'", 'ARGV[1]', 'ARGV[2]')}`

/**
 * Notes that a process is alive, and gives a stream that has no id one. If processes have ended, a message says that something is lost. If none of the
 * processes could call for half of the time, Redis was away, and all get the time once more.
 *
 * KEYS: stream, its end, the processes, the id of the stream, the name of a message to prolong. ARGV: the id of the process, the milliseconds after which a
 * silent process counts as ended, an id for a new stream, the largest weight that a process holds, the message, the milliseconds for which the name is known from now on.
 * Returns the id of the stream, and the ids of the processes that are alive.
 */
export const BEAT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('SET', KEYS[4], ARGV[3], 'NX')
redis.call('PEXPIRE', KEYS[5], ARGV[6])
local latest = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
if latest[2] and now - tonumber(latest[2]) > tonumber(ARGV[2]) / 2 then
  for _, process in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do redis.call('ZADD', KEYS[3], now, process) end
end
redis.call('ZADD', KEYS[3], now, ARGV[1])
if redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - tonumber(ARGV[2])) > 0 then
${appendMessage("'1'", 'ARGV[4]', 'ARGV[5]')}
end
return {redis.call('GET', KEYS[4]), redis.call('ZRANGE', KEYS[3], 0, -1)}`
