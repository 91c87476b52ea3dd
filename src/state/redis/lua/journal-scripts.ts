/** The scripts for the journal's streams; see `journal-stream.ts`. Each script is atomic. */
import { createScript } from '../connection.ts'

/**
 * Appends a message, and starts a stream if there is none. KEYS: head, stream, bodies, counts. ARGV: the ID of a new
 * stream; the number of the last exchange before a new stream; the maximum number of messages; the maximum total size
 * of bodies; the kind of the message; the sandbox; the message's text; the request body; the response body.
 * Returns the ID of the stream, and the number of the exchange (0 for `end` and `clear`). The kinds are:
 *
 * - `exchange`: the text is an exchange. `end`: the text is the corrected outcome of a delivery.
 * - `clear`: the text names the sandbox to clear; an empty text clears all. The counts are deleted first: Redis checks
 *   its memory limit only at a script's first write, and never refuses a deletion.
 * - `lost`: an exchange is counted, but no message is stored. Readers that see the gap in positions check the counts.
 */
export const APPEND = createScript(`
local kind, sandbox, entry, request, response = unpack(ARGV, 5)
if kind == 'clear' then
  if entry == '' then redis.call('DEL', KEYS[4]) else redis.call('HDEL', KEYS[4], entry) end
end
local id = redis.call('HGET', KEYS[1], 'id')
if not id then
  id = ARGV[1]
  redis.call('HSET', KEYS[1], 'id', id, 'exchanges', ARGV[2])
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
end
local function text(number) return string.format('%.0f', number) end
local function storeBody(body)
  if body == '' then return '0' end
  local bytes = redis.call('HINCRBY', KEYS[1], 'bytes', #body)
  local first = text(math.max(0, bytes - tonumber(ARGV[4])))
  redis.call('XADD', KEYS[3], 'MINID', '~', first, text(bytes) .. '-0', 'text', body)
  return text(bytes)
end
local number, fields = '0', {kind, entry}
if kind == 'exchange' or kind == 'lost' then
  number = text(redis.call('HINCRBY', KEYS[1], 'exchanges', 1))
  local first, count = string.match(redis.call('HGET', KEYS[4], sandbox) or '', '^(%d+) (%d+)$')
  first, count = first or number, text(tonumber(count or '0') + 1)
  redis.call('HSET', KEYS[4], sandbox, first .. ' ' .. count)
  fields = {
    'number', number, 'first', first, 'count', count,
    'request', storeBody(request), 'response', storeBody(response), 'entry', entry,
  }
end
local position = text(redis.call('HINCRBY', KEYS[1], 'messages', 1)) .. '-0'
if kind ~= 'lost' then redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], position, unpack(fields)) end
return {id, number}`)

/**
 * Reads the messages after a position. ARGV: the position, the maximum number of messages, the total size of bodies
 * after which reading stops, and `true` to request counts. Returns the ID of the stream, the position of its last
 * message, the messages, the IDs and texts of their bodies, and, if counts are requested and no more messages follow,
 * the name, first exchange and count of each sandbox.
 */
export const READ = createScript(`
local head = redis.call('HMGET', KEYS[1], 'id', 'messages')
if not head[1] then return {'', '0', {}, {}, {}} end
local stream, final = head[1], head[2] or '0'
local messages, bodies, bytes, last = {}, {}, 0, ARGV[1] .. '-0'
for _, message in ipairs(redis.call('XRANGE', KEYS[2], '(' .. last, '+', 'COUNT', ARGV[2])) do
  if bytes > tonumber(ARGV[3]) then break end
  for index = 8, 10, 2 do
    local id = message[2][index]
    for _, body in ipairs(id and redis.call('XRANGE', KEYS[3], id, id) or {}) do
      bodies[#bodies + 1] = {id, body[2][2]}
      bytes = bytes + #body[2][2]
    end
  end
  messages[#messages + 1] = message
  last = message[1]
end
if ARGV[4] ~= 'true' or last ~= final .. '-0' then return {stream, final, messages, bodies, false} end
local counts, stored = {}, redis.call('HGETALL', KEYS[4])
for index = 1, #stored, 2 do
  counts[#counts + 1] = {stored[index], string.match(stored[index + 1], '^(%d+) (%d+)$')}
end
return {stream, final, messages, bodies, counts}`)
