import { sandboxScript } from './prelude.ts'

/** The most replays in the log, which is for readings in slices: none takes as long as so many requests. */
const MAX_LOGGED = 100_000

/**
 * Stores records, with what finds and counts them. `occurrence` derives the id of a record that no name of the caller's
 * tells apart, and its number among those of equal content, as `occurrences.ts` does.
 */
const STORE = `
local function occurrence(kind, first)
  local earlier, id = count('index', kind .. ' ' .. first), first
  while earlier > 0 do
    id = uuid(kind, 'repeat', first, earlier)
    if not find('index', kind .. ' ' .. id) then break end
    earlier = earlier + 1
  end
  return id, earlier
end
local function countOccurrence(kind, id, first)
  write('HINCRBY', tag .. 'index', kind .. ' ' .. first, 1)
  if id ~= first then write('HSET', tag .. 'index', kind .. ' ' .. id, 1) end
end
-- The sum of impact, which can overflow, is written before the event. It is empty for an event that sampling dropped.
local function storeEvent(event, insertId, id, first, impact, units)
  if impact ~= '' then
    write('HINCRBY', tag .. 'impact', impact, units)
    write('HINCRBY', tag .. 'impact', 'events of ' .. impact, 1)
  end
  local place = text((write('HINCRBY', KEYS[1], 'count:events', 1) or 1) - 1)
  write('HSET', tag .. 'events', place, event)
  if insertId == '' then
    countOccurrence('event', id, first)
  else
    write('HSET', tag .. 'index', 'insertId ' .. insertId, place)
  end
  return place
end
local function storeVersion(change, external, id, first, versionId, number)
  write('HINCRBY', tag .. 'index', 'versions ' .. id, 1)
  write('HSET', tag .. 'index', 'version ' .. id .. ' ' .. versionId, number)
  write('HSET', tag .. 'prompts', redis.call('HLEN', tag .. 'prompts'), change)
  if number ~= '1' then return end
  write('HINCRBY', KEYS[1], 'count:prompts', 1)
  if external == '' then
    countOccurrence('prompt', id, first)
  else
    write('HSET', tag .. 'index', 'external ' .. external, id)
  end
end
-- The change replaces that of the prompt's version that was active before; then readings begin anew.
local function activate(id, change)
  local place = find('index', 'active ' .. id)
  if place then write('HSET', KEYS[1], 'generation', generation) end
  place = place or redis.call('HLEN', tag .. 'prompts')
  write('HSET', tag .. 'index', 'active ' .. id, place)
  write('HSET', tag .. 'prompts', place, change)
end
`

/**
 * Records an event, or counts a replay of it. Arguments: the path of seed and sandbox; the `insertId` as JSON, or
 * empty; the event's id if none was equal before; the field of its impact, and the impact in units; the share of such
 * events that is counted; the rest of the event. Returns `stored` with its number among equal payloads, from 0 on; or
 * `replayed` with the stored event and its replays.
 */
export const RECORD_EVENT = sandboxScript(`${STORE}
local _, insertId, first, impact, units, rate, event = unpack(args)
local id, repeatOf, earlier = first, '', 0
if insertId == '' then
  id, earlier = occurrence('event', first)
  if earlier > 0 then repeatOf = '"repeatOf":"' .. first .. '",' end
else
  local place = find('index', 'insertId ' .. insertId)
  if place then
    write('HINCRBY', KEYS[1], 'replays', 1)
    write('HINCRBY', tag .. 'index', 'replays ' .. place, 1)
    write('RPUSH', tag .. 'replay-log', place)
    write('LTRIM', tag .. 'replay-log', -${MAX_LOGGED}, -1)
    return {'replayed', read('events', place), count('index', 'replays ' .. place) + (isDry and 1 or 0)}
  end
end
-- A number has 48 bits in two parts, since tonumber takes no more than 32 where a long has 32.
local high, low = string.sub(id, 1, 6), string.sub(id, 7, 8) .. string.sub(id, 10, 13)
local sampledOut = tonumber(high, 16) / 2 ^ 24 + tonumber(low, 16) / 2 ^ 48 >= tonumber(rate)
begin()
storeEvent('{"eventId":"' .. id .. '",' .. repeatOf .. '"sampledOut":' .. tostring(sampledOut) .. ',' ..
  string.sub(event, 2), insertId, id, first, sampledOut and '' or impact, units)
return {'stored', earlier}`)

/**
 * Reads sums of impact. Arguments: their fields; none: all. Returns the generation, the number of events, the quality,
 * and each sum with its field and its number of events.
 */
export const SUM_IMPACT = sandboxScript(`
local sums = {}
for _, field in ipairs(#args > 0 and args or redis.call('HKEYS', tag .. 'impact')) do
  local events = find('impact', 'events of ' .. field)
  if events then sums[#sums + 1] = {field, read('impact', field), events} end
end
return {read('head', 'generation'), read('head', 'count:events'), read('head', 'quality'), sums}`)

/**
 * Adds a version to a prompt, or a prompt with its first version. Arguments: the path of seed and sandbox; the caller's
 * identifier, or empty; the id of a new prompt if none was equal before; the rest of a new prompt; the rest of the
 * version. Returns the id of the prompt, and the number of earlier versions.
 */
export const ADD_VERSION = sandboxScript(`${STORE}
local _, external, first, prompt, version = unpack(args)
local id, repeatOf = first, ''
if external ~= '' then
  id = find('index', 'external ' .. external) or first
else
  local earlier
  id, earlier = occurrence('prompt', first)
  if earlier > 0 then repeatOf = ',"repeatOf":"' .. first .. '"' end
end
local earlier = count('index', 'versions ' .. id)
local number = text(earlier + 1)
local versionId = uuid('version', id, number)
local change = '{"promptId":"' .. id .. '"'
if earlier == 0 then change = change .. ',"prompt":' .. prompt .. repeatOf end
begin()
storeVersion(change .. ',"version":{"versionId":"' .. versionId .. '","version":' .. number .. ',' ..
  string.sub(version, 2) .. '}', external, id, first, versionId, number)
return {id, earlier}`)

/** Activates a version. Arguments: the ids of prompt and version, and the change. Returns `activated` or `unknown`. */
export const ACTIVATE_VERSION = sandboxScript(`${STORE}
local id, versionId, change = unpack(args)
if not find('index', 'version ' .. id .. ' ' .. versionId) then return {'unknown'} end
activate(id, change)
return {'activated'}`)

/**
 * Stores records of an import. Eight arguments for each: `event` or `version`; the record; the caller's name of it, or
 * empty; its id, and the id of the first one of equal content; then the field of its impact, or empty, the impact in
 * units and its replays; or the id of the version, its number, and the change that activates it, or empty.
 */
export const STORE_RECORDS = sandboxScript(`${STORE}
begin()
for at = 1, #args, 8 do
  local kind, record, name, id, first, part, number, rest = unpack(args, at, at + 7)
  if kind == 'event' then
    local place = storeEvent(record, name, id, first, part, number)
    if rest ~= '0' then write('HSET', tag .. 'index', 'replays ' .. place, rest) end
  else
    storeVersion(record, name, id, first, part, number)
    if rest ~= '' then activate(id, rest) end
  end
end
return {'stored'}`)

/**
 * Reads consecutive events, or changes of prompts: at most 1,000, and about as many bytes as wanted. Arguments:
 * `events` or `prompts`; `oldest`, `newest` or `insertId`; the number to skip, or the `insertId` as JSON; the largest
 * number; the bytes; the number of replays beyond which none is counted, or empty; then fields of the head.
 *
 * Returns the generation, or empty if the log does not reach back so far; the numbers of all replays and all events;
 * the places from which and up to which they are wanted; their texts, the numbers of their replays, and the fields.
 */
export const READ_RECORDS = sandboxScript(`
local kind, order, offset, limit, bytes, counted = unpack(args)
local total = redis.call('HLEN', tag .. kind)
local from, to = 0, 0
if order == 'insertId' then
  local place = find('index', 'insertId ' .. offset)
  if place then from, to = tonumber(place), tonumber(place) + 1 end
elseif order == 'newest' then
  to = math.max(0, total - tonumber(offset))
  from = math.max(0, to - tonumber(limit))
else
  from = tonumber(offset)
  to = math.min(total, from + tonumber(limit))
end
local present, logged, later = read('head', 'generation'), count('head', 'replays'), {}
local newer = (kind == 'prompts' or counted == '') and 0 or logged - tonumber(counted)
if newer > 0 then
  local places = redis.call('LRANGE', tag .. 'replay-log', text(-newer), -1)
  if #places < newer then present = '' end
  for _, place in ipairs(places) do later[place] = (later[place] or 0) + 1 end
end
local texts, replays, left = {}, {}, tonumber(bytes)
for number = from, math.min(to, from + 1000) - 1 do
  local place = text(number)
  local record = read(kind, place)
  texts[#texts + 1] = record
  if kind == 'events' then replays[#texts] = count('index', 'replays ' .. place) - (later[place] or 0) end
  left = left - #record
  if left <= 0 then break end
end
local fields = {}
for index = 7, #args do fields[index - 6] = read('head', args[index]) end
return {present, logged, redis.call('HLEN', tag .. 'events'), from, to, texts, replays, fields}`)
