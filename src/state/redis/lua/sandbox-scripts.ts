import { sandboxScript } from './prelude.ts'

/**
 * Replaces a field of the head if it still has the text that is expected. Arguments: the field; the present text and
 * the next one, or empty; for records the field and the number of records. Settings are no data: a reset leaves them.
 * Returns `stored`, or `conflict`.
 */
export const PUT_FIELD = sandboxScript(`
local field, expected, text, counted, number = unpack(args)
if head(field) ~= expected then return {'conflict'} end
if counted then
  begin()
  write('HSET', KEYS[1], counted, number)
else
  register()
end
if text ~= '' then
  write('HSET', KEYS[1], field, text)
else
  write('HDEL', KEYS[1], field)
  unregister()
end
return {'stored'}`)

/** Stores the quality settings. Argument: the settings. */
export const PUT_QUALITY = sandboxScript(`
begin()
write('HSET', KEYS[1], 'quality', args[1])
return {'stored'}`)

/**
 * Replaces all data by segments, and by the fields of a snapshot if `source` is its key. `release` deletes the segments
 * that neither the sandbox nor a snapshot has any more.
 */
const REPLACE = `
local snapshots = tag .. 'snapshots'
local function listLists()
  local lists = {[KEYS[1]] = segmentsOf(KEYS[1])}
  for _, id in ipairs(redis.call('ZRANGE', snapshots, 0, -1)) do
    lists[part('snapshot', id)] = segmentsOf(part('snapshot', id))
  end
  return lists
end
local function release(before)
  local used = {}
  for _, list in pairs(listLists()) do
    for _, id in ipairs(list) do used[id] = true end
  end
  for _, list in pairs(before) do
    for _, id in ipairs(list) do
      if not used[id] then
        for _, kind in ipairs(kinds) do write('UNLINK', part(kind, id)) end
        write('UNLINK', part('replay-log', id))
      end
    end
  end
end
local function isData(field)
  return field == 'quality' or field == 'prompt-changes' or string.find(field, '^count:') or
    string.find(field, '^records:')
end
local function copyData(from, to)
  for _, field in ipairs(redis.call('HKEYS', from)) do
    if isData(field) then write('HSET', to, field, redis.call('HGET', from, field)) end
  end
end
local function discardCounters()
  write('UNLINK', tag .. 'sequences', tag .. 'sequence-order', tag .. 'windows', tag .. 'window-order')
end
local function replaceData(ids, source)
  local before = listLists()
  discardCounters()
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if isData(field) then write('HDEL', KEYS[1], field) end
  end
  if source then copyData(source, KEYS[1]) end
  if #ids > 0 then setView(ids) else write('HDEL', KEYS[1], 'segments', 'open') end
  release(before)
end
`

/** Deletes all data and counters, but no snapshot. */
export const RESET = sandboxScript(`${REPLACE}
if redis.call('EXISTS', snapshots) == 1 then
  replaceData({fresh})
else
  replaceData({})
  write('HDEL', KEYS[1], 'snapshots-taken')
  unregister()
end
return {'reset'}`)

/** Deletes everything of a sandbox. Returns `deleted`, or `absent` if nothing but counters was stored. */
export const DELETE_SANDBOX = sandboxScript(`${REPLACE}
discardCounters()
if redis.call('EXISTS', KEYS[1]) == 0 then return {'absent'} end
local before = listLists()
for key in pairs(before) do write('UNLINK', key) end
write('UNLINK', snapshots)
unregister()
release(before)
return {'deleted'}`)

/**
 * Creates a snapshot: it has the segments of the sandbox, of which the open one is closed if it has anything.
 * Arguments: the path of seed and sandbox; the rest of the snapshot's description; the fields of the numbers of
 * records. Returns
 * the number of snapshots before, and the numbers of records.
 */
export const CREATE_SNAPSHOT = sandboxScript(`${REPLACE}
local taken = count('snapshots-taken')
local id = uuid('snapshot', taken)
local key = part('snapshot', id)
begin()
local segments = {unpack(view)}
local isUsed = false
for _, kind in ipairs(kinds) do isUsed = isUsed or redis.call('EXISTS', openPart(kind)) == 1 end
if isUsed then
  write('UNLINK', openPart('replay-log'))
  view[#view + 1] = fresh
  setView(view)
else
  table.remove(segments)
end
write('HSET', key, 'head', '{"snapshotId":"' .. id .. '",' .. string.sub(args[2], 2))
write('HSET', key, 'segments', table.concat(segments, ' '))
copyData(KEYS[1], key)
write('ZADD', snapshots, taken, id)
write('HINCRBY', KEYS[1], 'snapshots-taken', 1)
local reply = {taken}
for index = 3, #args do reply[#reply + 1] = count(args[index]) end
return reply`)

/** Lists the snapshots. Arguments: the fields of record counts, returned for each with its description. */
export const LIST_SNAPSHOTS = sandboxScript(`
local reply = {}
for index, id in ipairs(redis.call('ZRANGE', tag .. 'snapshots', 0, -1)) do
  reply[index] = redis.call('HMGET', part('snapshot', id), 'head', unpack(args))
end
return reply`)

/** Restores a snapshot. Argument: its id. Returns `restored` or `unknown`. */
export const RESTORE_SNAPSHOT = sandboxScript(`${REPLACE}
local key = part('snapshot', args[1])
if redis.call('EXISTS', key) == 0 then return {'unknown'} end
local ids = segmentsOf(key)
ids[#ids + 1] = fresh
replaceData(ids, key)
return {'restored'}`)

/**
 * Deletes a snapshot. Argument: its id. Returns `deleted` or `unknown`. Then it merges the closed segments that follow
 * each other in all lists, so that their number does not grow with that of the snapshots that ever were: it moves
 * segments of at most 2,000 fields together, which takes some milliseconds.
 */
export const DELETE_SNAPSHOT = sandboxScript(`${REPLACE}
if not redis.call('ZSCORE', snapshots, args[1]) then return {'unknown'} end
local before = listLists()
write('ZREM', snapshots, args[1])
write('UNLINK', part('snapshot', args[1]))
release(before)
if isDry then return {'deleted'} end

local lists, following, left = listLists(), {}, 2000
for _, list in pairs(lists) do
  for index, id in ipairs(list) do
    local after = list[index + 1] or ''
    if (following[id] or after) ~= after then after = '' end
    following[id] = after
  end
end
local function move(kind, source, target)
  local command = (kind == 'sums' or kind == 'impact' or kind == 'replays') and 'HINCRBY' or 'HSET'
  local fields = redis.call('HGETALL', part(kind, source))
  for index = 1, #fields, 2 do redis.call(command, part(kind, target), fields[index], fields[index + 1]) end
  redis.call('UNLINK', part(kind, source))
end
view = lists[KEYS[1]]
for index = #view - 2, 1, -1 do
  local target, source, size = view[index], view[index + 1], 0
  for _, kind in ipairs(kinds) do size = size + redis.call('HLEN', part(kind, source)) end
  if following[target] == source and size <= left then
    left = left - size
    for _, kind in ipairs(kinds) do move(kind, source, target) end
    for key, list in pairs(lists) do
      for at = #list, 1, -1 do
        if list[at] == source then table.remove(list, at) end
      end
      redis.call('HSET', key, 'segments', table.concat(list, ' '))
    end
  end
end
return {'deleted'}`)

/**
 * Replaces all data by what an import has written under the id of the segment that begins. Arguments: `always` or
 * `if-empty`; the numbers of events and of changes of prompts; then fields of the head with their values. Returns
 * `imported`; `occupied` if the sandbox has records and must be empty; `expired` if what was written is gone.
 */
export const COMMIT_IMPORT = sandboxScript(`${REPLACE}
if args[1] == 'if-empty' then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.find(field, '^count:') and count(field) > 0 then return {'occupied'} end
  end
end
if isDry then return {'imported'} end
if redis.call('HLEN', part('events', fresh)) ~= tonumber(args[2])
  or redis.call('HLEN', part('prompts', fresh)) ~= tonumber(args[3]) then return {'expired'} end
register()
replaceData({fresh})
redis.call('HSET', KEYS[1], unpack(args, 4))
for _, kind in ipairs(kinds) do redis.call('PERSIST', part(kind, fresh)) end
return {'imported'}`)
