import { sandboxScript } from './prelude.ts'

/** The most replays in the log of a segment, which then begins anew. No reading takes as long as so many requests. */
const MAX_LOGGED = 1_000_000

/**
 * Records an event, or counts a replay of it. Arguments: the path of seed and sandbox; the `insertId` as JSON, or
 * empty; the event's id if none was equal before; the field of its impact, and the impact in units; the share of such
 * events that is counted; the rest of the event. Returns `stored` with the number of earlier equal payloads; or
 * `replayed` with the stored event and its replays.
 */
export const RECORD_EVENT = sandboxScript(`
local _, insertId, first, impact, units, rate, event = unpack(args)
local id, own, earlier = first, '', 0
if insertId ~= '' then
  local place = find('index', 'insertId ' .. insertId)
  if place then
    write('HINCRBY', openPart('replays'), place, 1)
    local logged = write('RPUSH', openPart('replay-log'), place)
    if logged and logged > ${MAX_LOGGED} then write('DEL', openPart('replay-log')) end
    return {'replayed', find('events', place) or '', sum('replays', place) + (isDry and 1 or 0)}
  end
else
  earlier = sum('sums', 'events ' .. first)
  if earlier > 0 then
    id = uuid('event', 'repeat', first, earlier)
    own = '"repeatOf":"' .. first .. '",'
  end
end
begin()
local place = count('count:events')
local chance = tonumber(string.sub(id, 1, 8) .. string.sub(id, 10, 13), 16) / 2 ^ 48
local sampledOut = chance >= tonumber(rate)
own = '{"eventId":"' .. id .. '",' .. own .. '"sampledOut":' .. tostring(sampledOut) .. ','
write('HSET', openPart('events'), place, own .. string.sub(event, 2))
write('HINCRBY', KEYS[1], 'count:events', 1)
if insertId ~= '' then
  write('HSET', openPart('index'), 'insertId ' .. insertId, place)
else
  write('HINCRBY', openPart('sums'), 'events ' .. first, 1)
end
if not sampledOut then
  write('HINCRBY', openPart('impact'), impact, units)
  write('HINCRBY', openPart('impact'), 'events of ' .. impact, 1)
end
return {'stored', earlier}`)

/** Sums the impact. Returns the open segment, the number of events, the quality, and fields and sums in turn. */
export const SUM_IMPACT = sandboxScript(`
local sums = {}
for _, segment in ipairs(view) do
  local all = redis.call('HGETALL', part('impact', segment))
  for index = 1, #all, 2 do sums[all[index]] = (sums[all[index]] or 0) + tonumber(all[index + 1]) end
end
local listed = {}
for field, total in pairs(sums) do
  listed[#listed + 1] = field
  listed[#listed + 1] = text(total)
end
return {head('open'), head('count:events'), head('quality'), listed}`)

/** Appends a change to those of the prompts. */
const APPEND = `
local function append(change)
  write('HSET', openPart('prompts'), count('prompt-changes'), change)
  write('HINCRBY', KEYS[1], 'prompt-changes', 1)
end
`

/**
 * Adds a version to a prompt, or a prompt with its first version. Arguments: the path of seed and sandbox; the caller's
 * identifier, or empty; the id of a new prompt if none was equal before; the rest of a new prompt; the number of
 * components; the rest of the version. Returns the id of the prompt, the number of earlier versions, and the number of
 * earlier prompts from equal requests.
 */
export const ADD_VERSION = sandboxScript(`${APPEND}
local _, external, first, prompt, components, version = unpack(args)
local id, repeatOf, versions = first, '', 0
if external ~= '' then
  id = find('index', 'external ' .. external) or first
else
  local earlier = sum('sums', 'prompts ' .. first)
  if earlier > 0 then
    id = uuid('prompt', 'repeat', first, earlier)
    repeatOf = ',"repeatOf":"' .. first .. '"'
  end
end
local earlier = sum('sums', 'versions ' .. id)
local versionId = uuid('version', id, earlier + 1)
local ids = {}
for index = 1, components do ids[index] = '"' .. uuid('component', versionId, index - 1) .. '"' end
begin()
local change = '{"promptId":"' .. id .. '"'
if earlier == 0 then
  change = change .. ',"prompt":' .. prompt .. repeatOf
  write('HINCRBY', KEYS[1], 'count:prompts', 1)
  if external ~= '' then write('HSET', openPart('index'), 'external ' .. external, id) end
end
if external == '' then write('HINCRBY', openPart('sums'), 'prompts ' .. first, 1) end
write('HINCRBY', openPart('sums'), 'versions ' .. id, 1)
write('HSET', openPart('index'), 'version ' .. id .. ' ' .. versionId, earlier + 1)
append(change .. ',"version":{"versionId":"' .. versionId .. '","version":' .. earlier + 1 ..
  ',"componentIds":[' .. table.concat(ids, ',') .. '],' .. string.sub(version, 2) .. '}')
return {id, earlier}`)

/**
 * Activates a version. Arguments: the ids of prompt and version, and the change. Returns `activated` or `unknown`.
 */
export const ACTIVATE_VERSION = sandboxScript(`${APPEND}
if not find('index', 'version ' .. args[1] .. ' ' .. args[2]) then return {'unknown'} end
append(args[3])
return {'activated'}`)

/**
 * Reads consecutive events, or changes of prompts, about as many bytes as wanted. Arguments: `events` or `prompts`;
 * `oldest`, `newest` or `insertId`; the number to skip, or the `insertId` as JSON; the largest number; the bytes; the
 * length of the log of replays beyond which none is counted, or empty; then fields of the head.
 *
 * Returns the open segment, the length of its log of replays, the number of all events or changes, the places from
 * which and up to which they are wanted, their texts, the numbers of their replays, and the fields.
 */
export const READ_RECORDS = sandboxScript(`
local kind, order, offset, limit, bytes, logged = unpack(args)
local total = count(kind == 'events' and 'count:events' or 'prompt-changes')
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
local log, later = openPart('replay-log'), {}
if logged ~= '' then
  for _, place in ipairs(redis.call('LRANGE', log, logged, -1)) do later[place] = (later[place] or 0) + 1 end
end
local texts, replays, left = {}, {}, tonumber(bytes)
for place = from, math.min(to, from + math.ceil(1000 / #view)) - 1 do
  local record = find(kind, place) or ''
  texts[#texts + 1] = record
  if kind == 'events' then replays[#texts] = sum('replays', place) - (later[text(place)] or 0) end
  left = left - #record
  if left <= 0 then break end
end
local fields = {}
for index = 7, #args do fields[index - 6] = head(args[index]) end
return {head('open'), redis.call('LLEN', log), total, from, to, texts, replays, fields}`)
