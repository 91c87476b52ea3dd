import { sandboxScript } from './prelude.ts'

/**
 * Stores a record and its index. `occurrence` derives the id of a record that the caller did not name, and its number
 * among records with equal content, like `deriveOccurrenceId`.
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
-- A record is found by the caller's name for it, or else counted among the records with equal content.
local function identify(kind, name, found, id, first)
  if name ~= '' then return write('HSET', tag .. 'index', kind .. ' named ' .. name, found) end
  write('HINCRBY', tag .. 'index', kind .. ' ' .. first, 1)
  if id ~= first then write('HSET', tag .. 'index', kind .. ' ' .. id, 1) end
end
local function append(kind, record)
  local place = text((write('HINCRBY', KEYS[1], 'count:' .. kind, 1) or 1) - 1)
  write('HSET', tag .. kind, place, record)
  return place
end
`

/**
 * Records an event, or counts a replay of it. Arguments: the path of seed and sandbox; the `insertId` as JSON, or
 * empty; the id of the first event with this payload; the field of its impact, and the impact in units; the fraction of
 * such events that are counted; the rest of the event. Returns `stored` with the number of earlier events with equal
 * payloads, or `replayed` with the stored event and its replays.
 */
export const RECORD_EVENT = sandboxScript(`${STORE}
local _, insertId, first, impact, units, rate, event = unpack(args)
local id, repeatOf, earlier = first, '', 0
if insertId == '' then
  id, earlier = occurrence('event', first)
  if earlier > 0 then repeatOf = '"repeatOf":"' .. first .. '",' end
else
  local place = find('index', 'event named ' .. insertId)
  if place then
    write('HINCRBY', tag .. 'index', 'events ' .. place, 1)
    return {'replayed', read('events', place), count('index', 'events ' .. place) + (isDry and 1 or 0)}
  end
end
-- The 48 bits are read in two parts, since tonumber is limited to 32 bits where a C long has 32.
local high, low = string.sub(id, 1, 6), string.sub(id, 7, 8) .. string.sub(id, 10, 13)
local sampledOut = tonumber(high, 16) / 2 ^ 24 + tonumber(low, 16) / 2 ^ 48 >= tonumber(rate)
begin()
-- The sums are written before the event, since they can overflow.
if not sampledOut then
  write('HINCRBY', tag .. 'impact', impact, units)
  write('HINCRBY', tag .. 'impact', 'events of ' .. impact, 1)
end
local place = append('events', '{"eventId":"' .. id .. '",' .. repeatOf .. '"sampledOut":' .. tostring(sampledOut) ..
  ',' .. string.sub(event, 2))
identify('event', insertId, place, id, first)
return {'stored', earlier}`)

/**
 * Adds a version to a prompt, or a prompt with its first version. Arguments: the path of seed and sandbox; the caller's
 * identifier, or empty; the id of the first prompt with this content; the rest of a new prompt, without versions; the
 * rest of the version. Returns the id of the prompt, and the number of earlier versions.
 */
export const ADD_VERSION = sandboxScript(`${STORE}
local _, external, first, prompt, version = unpack(args)
local id, equals = first, 0
if external == '' then
  id, equals = occurrence('prompt', first)
else
  id = find('index', 'prompt named ' .. external) or first
end
local earlier, place = count('index', 'last ' .. id), find('index', 'place ' .. id)
local number = text(earlier + 1)
version = '{"versionId":"' .. uuid('version', id, number) .. '","version":' .. number .. ',' .. string.sub(version, 2)
begin()
if place then
  write('HSET', tag .. 'prompts', place, string.sub(read('prompts', place), 1, -3) .. ',' .. version .. ']}')
else
  local repeatOf = equals > 0 and '"repeatOf":"' .. first .. '",' or ''
  local head = '{"promptId":"' .. id .. '",' .. repeatOf .. string.sub(prompt, 2, -3)
  place = append('prompts', head .. version .. ']}')
  identify('prompt', external, id, id, first)
end
write('HSET', tag .. 'index', 'place ' .. id, place, 'last ' .. id, number)
return {id, earlier}`)

export const ACTIVATE_VERSION = sandboxScript(`
local id, versionId = unpack(args)
local place = find('index', 'place ' .. id)
for _, version in ipairs(place and cjson.decode(read('prompts', place)).versions or {}) do
  if version.versionId == versionId then
    write('HSET', tag .. 'index', 'prompts ' .. place, versionId)
    return {'activated'}
  end
end
return {'unknown'}`)

/**
 * Reads a slice of events or prompts: at least one record, at most 1,000 records or 256 KiB. Arguments: `events` or
 * `prompts`, the first position, the maximum number of records, and the step to the next position, 1 or -1. Returns the
 * generation of the data, the records, and for each its number of replays, or the id of its active version.
 */
export const READ_RECORDS = sandboxScript(`
local kind, first, limit, step = unpack(args)
local records, marks, bytes = {}, {}, 0
for index = 1, math.min(limit, 1000) do
  local place = text(first + (index - 1) * step)
  local record = read(kind, place)
  bytes = bytes + #record
  if index > 1 and bytes > 262144 then break end
  records[index], marks[index] = record, read('index', kind .. ' ' .. place)
end
return {read('head', 'generation'), records, marks}`)
