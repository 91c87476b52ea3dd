import { createScript } from '../connection.ts'

/**
 * Marks the state with its format and its id, unless it has them, and uses every command that requests need on keys
 * that it deletes again. KEYS: the mark, the id, and a hash, a sorted set, a stream and a text for the trial. ARGV: the
 * mark, and a new id. Returns the mark and the id; or, with nothing changed, another mark. An error reply ends with the
 * command that was refused.
 */
export const PROBE = createScript(`
local mark, id, hash, set, stream, number = unpack(KEYS)
local replies = {}
for index, command in ipairs({
  {'SET', mark, ARGV[1], 'NX', 'GET'}, {'SET', id, ARGV[2], 'NX', 'GET'},
  {'HSET', hash, 'a', '1'}, {'HSETNX', hash, 'a', '1'}, {'HINCRBY', hash, 'a', '1'}, {'HDEL', hash, 'b'},
  {'HGET', hash, 'a'}, {'HMGET', hash, 'a'}, {'HLEN', hash}, {'HKEYS', hash}, {'HSCAN', hash, '0'}, {'EXISTS', hash},
  {'ZADD', set, '1', 'a'}, {'ZREVRANGE', set, '0', '0'}, {'ZRANGE', set, '0', '0'}, {'ZCARD', set}, {'ZREM', set, 'b'},
  {'PEXPIRE', set, '60000'}, {'PTTL', set}, {'ZPOPMIN', set},
  {'XADD', stream, '*', 'a', '1'}, {'XRANGE', stream, '-', '+'},
  {'INCR', number}, {'GET', number}, {'DEL', number}, {'UNLINK', hash, set, stream},
}) do
  local reply = redis.pcall(unpack(command))
  if type(reply) == 'table' and reply.err then
    redis.pcall('UNLINK', hash, set, stream, number)
    return redis.error_reply(string.gsub(reply.err, '%.$', '') .. ' (' .. command[1] .. ')')
  end
  if index == 1 and reply and reply ~= ARGV[1] then return {reply} end
  replies[index] = reply
end
return {ARGV[1], replies[2] or ARGV[2]}`)
