import { sandboxScript } from './prelude.ts'

/**
 * Functions that store and index a record. Like `deriveOccurrenceId`, `occurrence` derives the ID of a record that the
 * caller did not name. It also returns the number that makes the ID unique (0 for the first record with this content).
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
-- Indexes a record by the caller's name for it. A record without a name is counted among those with identical content.
local function identify(kind, name, found, id, first)
  if name ~= '' then return write('HSET', tag .. 'index', kind .. ' named ' .. name, found) end
  write('HINCRBY', tag .. 'index', kind .. ' ' .. first, 1)
  if id ~= first then write('HSET', tag .. 'index', kind .. ' ' .. id, 1) end
end
local function append(kind, record)
  local position = text((write('HINCRBY', KEYS[1], 'count:' .. kind, 1) or 1) - 1)
  write('HSET', tag .. kind, position, record)
  return position
end
`

/**
 * Records an event, or counts a replay of it. Arguments: the path of the seed and sandbox; the `insertId` as JSON, or
 * empty; the ID for the first event with this payload or `insertId`; the field for the sum of impacts; the impact
 * in billionths; the sample rate; the rest of the event as JSON. Returns `stored` and the number from `occurrence` (0
 * with an `insertId`), or `replayed`, the stored event and its number of replays.
 */
export const RECORD_EVENT = sandboxScript(`${STORE}
local _, insertId, first, impact, units, rate, event = unpack(args)
local id, repeatOf, earlier = first, '', 0
if insertId == '' then
  id, earlier = occurrence('event', first)
  if earlier > 0 then repeatOf = '"repeatOf":"' .. first .. '",' end
else
  local position = find('index', 'event named ' .. insertId)
  if position then
    write('HINCRBY', tag .. 'index', 'events ' .. position, 1)
    return {'replayed', read('events', position), count('index', 'events ' .. position) + (isDry and 1 or 0)}
  end
end
-- The first 48 bits of the ID are read in two parts: on platforms with a 32-bit C long, tonumber is limited to 32 bits.
local high, low = string.sub(id, 1, 6), string.sub(id, 7, 8) .. string.sub(id, 10, 13)
local sampledOut = tonumber(high, 16) / 2 ^ 24 + tonumber(low, 16) / 2 ^ 48 >= tonumber(rate)
begin()
-- The sums are written before the event, so that no event is stored if a sum overflows.
if not sampledOut then
  write('HINCRBY', tag .. 'impact', impact, units)
  write('HINCRBY', tag .. 'impact', 'events of ' .. impact, 1)
end
local position = append('events', '{"eventId":"' .. id .. '",' .. repeatOf .. '"sampledOut":' .. tostring(sampledOut) ..
  ',' .. string.sub(event, 2))
identify('event', insertId, position, id, first)
return {'stored', earlier}`)

/**
 * Adds a version to a prompt, or creates a prompt with its first version. Arguments: the path of the seed and sandbox;
 * the external key, or empty; the ID for the first prompt with this key or request; the rest of a new prompt as
 * JSON, ending in `[]}`; the rest of the version as JSON. Returns the prompt's ID, and the number of earlier versions.
 */
export const ADD_VERSION = sandboxScript(`${STORE}
local _, external, first, prompt, version = unpack(args)
local id, repeats = first, 0
if external == '' then
  id, repeats = occurrence('prompt', first)
else
  id = find('index', 'prompt named ' .. external) or first
end
local earlier, position = count('index', 'last ' .. id), find('index', 'place ' .. id)
local number = text(earlier + 1)
version = '{"versionId":"' .. uuid('version', id, number) .. '","version":' .. number .. ',' .. string.sub(version, 2)
begin()
if position then
  write('HSET', tag .. 'prompts', position, string.sub(read('prompts', position), 1, -3) .. ',' .. version .. ']}')
else
  local repeatOf = repeats > 0 and '"repeatOf":"' .. first .. '",' or ''
  local head = '{"promptId":"' .. id .. '",' .. repeatOf .. string.sub(prompt, 2, -3)
  position = append('prompts', head .. version .. ']}')
  identify('prompt', external, id, id, first)
end
write('HSET', tag .. 'index', 'place ' .. id, position, 'last ' .. id, number)
return {id, earlier}`)

export const ACTIVATE_VERSION = sandboxScript(`
local id, versionId = unpack(args)
local position = find('index', 'place ' .. id)
for _, version in ipairs(position and cjson.decode(read('prompts', position)).versions or {}) do
  if version.versionId == versionId then
    write('HSET', tag .. 'index', 'prompts ' .. position, versionId)
    return {'activated'}
  end
end
return {'unknown'}`)

/**
 * Reads at most 1,000 events or prompts, and at most 256 KiB unless the first record is larger. Arguments: `events` or
 * `prompts`, the first position, the maximum number of records, and the step to the next position, 1 or -1. Returns the
 * generation of the data, the records, and for each record the number of replays or the ID of the active version.
 */
export const READ_RECORDS = sandboxScript(`
local kind, first, limit, step = unpack(args)
local records, marks, bytes = {}, {}, 0
for index = 1, math.min(limit, 1000) do
  local position = text(first + (index - 1) * step)
  local record = read(kind, position)
  bytes = bytes + #record
  if index > 1 and bytes > 262144 then break end
  records[index], marks[index] = record, read('index', kind .. ' ' .. position)
end
return {read('head', 'generation'), records, marks}`)
