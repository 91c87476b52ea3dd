import { FIRST, offerScript, readScript } from './view.ts'

/** The most replays in the log of a segment, which then begins anew. No reading takes as long as so many requests. */
const MAX_LOGGED = 1_000_000

/**
 * Records an event, or counts a replay of it. Own arguments: the field of its `insertId`, or empty; the id of the first
 * event with its payload, or empty; the number of earlier equal payloads that the first candidate is for; the field of
 * its impact, and the impact in units; the part of the record behind `sampledOut` begins, and the rest; then for each
 * candidate the beginning of the record, and `true` or `false` for `sampledOut`.
 *
 * Returns `stored` with the number of earlier equal payloads; `replayed` with the stored event and its replays; or
 * `conflict` with the number for which there is no candidate.
 */
export const RECORD_EVENT = offerScript(`
local insertId, first, guess, impact, units, middle, rest = unpack(ARGV, ${FIRST}, ${FIRST + 6})
if isStopped and insertId ~= '' then return {'stopped'} end
local earlier = 0
for index = #view, 1, -1 do
  local id = view[index].id
  if insertId == '' then
    earlier = earlier + tonumber(redis.call('HGET', part('repeats', id), first) or '0')
  else
    local place = redis.call('HGET', part('places', id), insertId)
    if place then
      write('HINCRBY', part('replays', openId()), place, 1)
      local logged = write('RPUSH', part('replay-log', openId()), place)
      if logged and logged > ${MAX_LOGGED} then write('DEL', part('replay-log', openId())) end
      local replays = isDry and 1 or 0
      for later = index, #view do
        replays = replays + tonumber(redis.call('HGET', part('replays', view[later].id), place) or '0')
      end
      return {'replayed', redis.call('HGET', part('events', id), place) or '', replays}
    end
  end
end
local candidate = ${FIRST + 7} + 2 * (earlier - tonumber(guess))
if isStopped or earlier < tonumber(guess) or not ARGV[candidate] then return refuse(earlier) end
begin()
local place = (write('HINCRBY', KEYS[1], 'count:events', 1) or 1) - 1
local sampledOut = ARGV[candidate + 1]
write('HSET', part('events', openId()), place, ARGV[candidate] .. middle .. sampledOut .. rest)
if insertId ~= '' then
  write('HSET', part('places', openId()), insertId, place)
else
  write('HINCRBY', part('repeats', openId()), first, 1)
end
if sampledOut == 'false' then
  write('HINCRBY', part('impact', openId()), impact, units)
  write('HINCRBY', part('impact', openId()), 'events of ' .. impact, 1)
end
return {'stored', earlier}`)

/**
 * Reads consecutive events, at most 1,000 and about as many bytes as wanted. Own arguments: `oldest`, `newest` or
 * `insertId`; the number of events to skip, or the field of the `insertId`; the largest number of events; the bytes;
 * the length of the log of replays beyond which none is counted, or empty. Returns the open segment, the number of all
 * events, the length of the log, the places from which and up to which events are wanted, and each event with its
 * replays.
 */
export const READ_EVENTS = readScript(`
local order, offset, limit, bytes, counted = unpack(ARGV, ${FIRST}, ${FIRST + 4})
local total = count('count:events')
local from, to = 0, 0
if order == 'insertId' then
  for _, segment in ipairs(view) do
    local place = redis.call('HGET', part('places', segment.id), offset)
    if place then from, to = tonumber(place), tonumber(place) + 1 end
  end
elseif order == 'newest' then
  to = math.max(0, total - tonumber(offset))
  from = math.max(0, to - tonumber(limit))
else
  from = tonumber(offset)
  to = math.max(from, math.min(total, from + tonumber(limit)))
end
local log = part('replay-log', openId())
local reply = {openId(), total, redis.call('LLEN', log), from, to}
local replayed, later = {}, {}
for _, segment in ipairs(view) do
  if redis.call('EXISTS', part('replays', segment.id)) == 1 then replayed[#replayed + 1] = segment end
end
if counted ~= '' then
  for _, place in ipairs(redis.call('LRANGE', log, counted, -1)) do later[place] = (later[place] or 0) + 1 end
end
local index, left = 1, tonumber(bytes)
for place = from, math.min(to, from + 1000) - 1 do
  while view[index + 1] and view[index + 1].start <= place do index = index + 1 end
  local text = redis.call('HGET', part('events', view[index].id), place) or ''
  local replays = -(later[string.format('%.0f', place)] or 0)
  for _, segment in ipairs(replayed) do
    replays = replays + tonumber(redis.call('HGET', part('replays', segment.id), place) or '0')
  end
  reply[#reply + 1] = text
  reply[#reply + 1] = replays
  left = left - #text
  if left <= 0 then break end
end
return reply`)

/**
 * Sums the impact. Own arguments: the fields to sum; none: all. Returns the open segment, the number of events, the
 * quality settings, and then each field with its sum.
 */
export const SUM_IMPACT = readScript(`
local sums = {}
local function add(field, value)
  if value then sums[field] = (sums[field] or 0) + tonumber(value) end
end
for _, segment in ipairs(view) do
  local key = part('impact', segment.id)
  if #ARGV < ${FIRST} then
    local all = redis.call('HGETALL', key)
    for index = 1, #all, 2 do add(all[index], all[index + 1]) end
  else
    for index, value in ipairs(redis.call('HMGET', key, unpack(ARGV, ${FIRST}))) do
      add(ARGV[index + ${FIRST} - 1], value)
    end
  end
end
local reply = {openId(), count('count:events'), redis.call('HGET', KEYS[1], 'quality') or ''}
for field, sum in pairs(sums) do
  reply[#reply + 1] = field
  reply[#reply + 1] = string.format('%.0f', sum)
end
return reply`)
