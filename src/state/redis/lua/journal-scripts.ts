import { createScript } from '../connection.ts'

/** The scripts of the journal's stream; see `journal-stream.ts`. Each is one atomic step. */

/**
 * Begins a stream where there is none. KEYS: head, stream, bodies, counts. ARGV: an id for a new stream, the number of
 * the exchange before its first. `nextPosition` returns the position of the next message.
 */
const BEGIN = `
local id = redis.call('HGET', KEYS[1], 'id')
if not id then
  id = ARGV[1]
  redis.call('HSET', KEYS[1], 'id', id, 'exchanges', ARGV[2])
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
end
local function text(number) return string.format('%.0f', number) end
local function nextPosition() return text(redis.call('HINCRBY', KEYS[1], 'messages', 1)) .. '-0' end
local function countExchange(sandbox)
  local number = text(redis.call('HINCRBY', KEYS[1], 'exchanges', 1))
  local begun, count = string.match(redis.call('HGET', KEYS[4], sandbox) or '', '^(%d+) (%d+)$')
  begun, count = begun or number, text(tonumber(count or '0') + 1)
  redis.call('HSET', KEYS[4], sandbox, begun .. ' ' .. count)
  return number, begun, count
end`

/**
 * Appends messages. ARGV, after those of `BEGIN`: the most messages and the most bytes of bodies that are stored; then
 * for each message the sandbox, the text, and the bodies of request and answer: empty for none, or `=` and the id of
 * one that is stored. The end of a delivery has an empty sandbox, its text, and nothing. Returns the id of the stream,
 * and for each message the number of the exchange and the id of its answer's body.
 */
export const APPEND = createScript(`${BEGIN}
local function storeBody(body)
  if body == '' then return '0' end
  if string.sub(body, 1, 1) == '=' then return string.sub(body, 2) end
  local bytes = redis.call('HINCRBY', KEYS[1], 'bytes', #body)
  local first = text(math.max(0, bytes - tonumber(ARGV[4])))
  redis.call('XADD', KEYS[3], 'MINID', '~', first, text(bytes) .. '-0', 'text', body)
  return text(bytes)
end
local appended = {}
for at = 5, #ARGV, 4 do
  local number, answer = '0', '0'
  if ARGV[at] == '' then
    redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], nextPosition(), 'end', ARGV[at + 1])
  else
    local begun, count
    number, begun, count = countExchange(ARGV[at])
    local request = storeBody(ARGV[at + 2])
    answer = storeBody(ARGV[at + 3])
    redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], nextPosition(),
      'number', number, 'begun', begun, 'count', count, 'request', request, 'answer', answer, 'entry', ARGV[at + 1])
  end
  appended[#appended + 1] = number
  appended[#appended + 1] = answer
end
return {id, appended}`)

/**
 * Counts one exchange, which no message has, for each of the sandboxes that ARGV has after those of `BEGIN`, and leaves
 * out a position, so that every reader compares its counts.
 */
export const COUNT_LOST = createScript(`${BEGIN}
for at = 3, #ARGV do countExchange(ARGV[at]) end
nextPosition()
return id`)

/**
 * Clears a sandbox, or all (''). ARGV, after those of `BEGIN`: the sandbox, and the most messages. The first command
 * frees memory, so that a full Redis takes the others, too.
 */
export const CLEAR = createScript(`
if ARGV[3] == '' then redis.call('DEL', KEYS[4]) else redis.call('HDEL', KEYS[4], ARGV[3]) end
${BEGIN}
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], nextPosition(), 'clear', ARGV[3])
return id`)

/**
 * Reads the messages behind a position. ARGV: the position, the most messages, the bytes of bodies after which no more
 * are read, the cursor from which counts are read, or empty for none, and about the most counts. Returns the id of the
 * stream, the position of its last message, the messages, ids and texts of their bodies in turn, and the next cursor
 * with the counts.
 */
export const READ = createScript(`
local head = redis.call('HMGET', KEYS[1], 'id', 'messages')
if not head[1] then return {'', '0', {}, {}, {'0', {}}} end
local messages, bodies, isRead, bytes = {}, {}, { ['0'] = true }, 0
for _, message in ipairs(redis.call('XRANGE', KEYS[2], '(' .. ARGV[1] .. '-0', '+', 'COUNT', ARGV[2])) do
  if bytes > tonumber(ARGV[3]) then break end
  for index = 8, 10, 2 do
    local id = message[2][index]
    if id and not isRead[id] then
      isRead[id] = true
      for _, body in ipairs(redis.call('XRANGE', KEYS[3], id, id)) do
        bodies[#bodies + 1] = id
        bodies[#bodies + 1] = body[2][2]
        bytes = bytes + #body[2][2]
      end
    end
  end
  messages[#messages + 1] = message
end
local counts = {'0', {}}
if ARGV[4] ~= '' then counts = redis.call('HSCAN', KEYS[4], ARGV[4], 'COUNT', ARGV[5]) end
return {head[1], head[2] or '0', messages, bodies, counts}`)
