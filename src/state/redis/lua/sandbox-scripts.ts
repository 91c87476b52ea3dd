import type { Script } from '../connection.ts'
import { changeScript, FIRST, offerScript, readScript, replaceScript } from './view.ts'

/** Stores the quality settings. Own argument: the settings. */
export const PUT_QUALITY = changeScript(`
begin()
write('HSET', KEYS[1], 'quality', ARGV[${FIRST}])
write('HINCRBY', KEYS[1], 'revision', 1)
return {'stored'}`)

/**
 * Replaces a field of the head that has a version. Own arguments: the field; the version of the present text, or empty;
 * the next version and the next text, or empty; for plain records the field and the number of records. Settings are no
 * data: a reset leaves them. Returns `stored`, or `conflict`.
 */
export const PUT_FIELD = changeScript(`
local field, expected, version, text, counted, number = unpack(ARGV, ${FIRST}, ${FIRST + 5})
if (redis.call('HGET', KEYS[1], field .. '-version') or '') ~= expected then return {'conflict'} end
if counted then
  begin()
  write('HSET', KEYS[1], counted, number)
  write('HINCRBY', KEYS[1], 'revision', 1)
else
  register()
end
if text == '' then
  write('HDEL', KEYS[1], field, field .. '-version')
  if redis.call('EXISTS', KEYS[1]) == 0 then write('ZREM', KEYS[2], name) end
else
  write('HSET', KEYS[1], field, text, field .. '-version', version)
end
return {'stored'}`)

/** Deletes all data and counters, but no snapshot. */
export const RESET = replaceScript(`
discardCounters()
if #view == 0 then return {'reset'} end
local before = view
clearData()
if redis.call('EXISTS', tag .. 'snapshots') == 1 then
  setView({{id = fresh, start = 0}})
else
  write('HDEL', KEYS[1], 'snapshots-taken')
  if redis.call('EXISTS', KEYS[1]) == 0 then write('ZREM', KEYS[2], name) end
end
release(before)
return {'reset'}`)

/** Deletes everything of a sandbox. Returns `deleted`, or `absent` if nothing but counters was stored. */
export const DELETE_SANDBOX = replaceScript(`
discardCounters()
if redis.call('EXISTS', KEYS[1]) == 0 then return {'absent'} end
local before = view
for _, id in ipairs(redis.call('ZRANGE', tag .. 'snapshots', 0, -1)) do
  for _, segment in ipairs(segmentsOf(redis.call('HGET', part('snapshot', id), 'segments'))) do
    before[#before + 1] = segment
  end
  deleteSnapshot(id)
end
clearData()
write('UNLINK', KEYS[1], tag .. 'snapshots')
write('ZREM', KEYS[2], name)
release(before)
return {'deleted'}`)

/**
 * Creates a snapshot: it has the segments of the sandbox, of which the open one is closed if it has anything, and a
 * copy of the prompts. Own arguments: the number of snapshots ever taken; the id and the description of the snapshot;
 * the fields of the numbers of records. Returns `stored` with the number of snapshots before and the numbers of
 * records, or `conflict` with the number of snapshots.
 */
export const CREATE_SNAPSHOT = offerScript(`
local taken, id, head = unpack(ARGV, ${FIRST}, ${FIRST + 2})
local present = count('snapshots-taken')
if isStopped or present ~= tonumber(taken) then return refuse(present) end
begin()
local key = part('snapshot', id)
local last, events = view[#view], count('count:events')
local text = redis.call('HGET', KEYS[1], 'segments') or ''
if last.start == events and redis.call('EXISTS', part('replays', last.id)) == 0 then
  text = string.gsub(text, '%s?%S+$', '')
else
  write('UNLINK', part('replay-log', last.id))
  view[#view + 1] = {id = fresh, start = events}
  setView(view)
end
write('HSET', key, 'head', head, 'segments', text)
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if field == 'quality' or string.find(field, '^count:') or string.find(field, '^records:') then
    write('HSET', key, field, redis.call('HGET', KEYS[1], field))
  end
end
write('COPY', tag .. 'prompts', key .. ':prompts')
write('ZADD', tag .. 'snapshots', present, id)
write('HINCRBY', KEYS[1], 'snapshots-taken', 1)
local reply = {'stored', present}
for index = ${FIRST + 3}, #ARGV do reply[#reply + 1] = count(ARGV[index]) end
return reply`)

/** Lists the snapshots. Own arguments: the fields of record counts, returned for each with its description. */
export const LIST_SNAPSHOTS = readScript(`
local reply = {}
for _, id in ipairs(redis.call('ZRANGE', tag .. 'snapshots', 0, -1)) do
  local key = part('snapshot', id)
  reply[#reply + 1] = redis.call('HGET', key, 'head') or ''
  for index = ${FIRST}, #ARGV do reply[#reply + 1] = redis.call('HGET', key, ARGV[index]) or '0' end
end
return reply`)

/** Restores a snapshot. Own argument: its id. Returns `restored` or `unknown`. */
export const RESTORE_SNAPSHOT = replaceScript(`
local key = part('snapshot', ARGV[${FIRST}])
if redis.call('EXISTS', key) == 0 then return {'unknown'} end
local before = view
local revision = count('revision')
discardCounters()
clearData()
for _, field in ipairs(redis.call('HKEYS', key)) do
  if field ~= 'head' and field ~= 'segments' then
    write('HSET', KEYS[1], field, redis.call('HGET', key, field))
  end
end
write('HSET', KEYS[1], 'revision', string.format('%.0f', revision + 1))
write('COPY', key .. ':prompts', tag .. 'prompts')
local restored = segmentsOf(redis.call('HGET', key, 'segments'))
restored[#restored + 1] = {id = fresh, start = count('count:events')}
setView(restored)
release(before)
return {'restored'}`)

/**
 * Merges the closed segments that follow each other in all lists, so that the number of segments does not grow with
 * that of the snapshots that ever were. The smaller one is moved, if it has at most so many fields, which takes some
 * milliseconds.
 */
const MERGE = `
local left = 2000
local function sizeOf(id) return redis.call('HLEN', part('events', id)) + redis.call('HLEN', part('replays', id)) end
local function moveSegment(source, target)
  local commands = {events = 'HSET', places = 'HSET', repeats = 'HINCRBY', impact = 'HINCRBY', replays = 'HINCRBY'}
  for kind, command in pairs(commands) do
    local fields = redis.call('HGETALL', part(kind, source))
    for index = 1, #fields, 2 do redis.call(command, part(kind, target), fields[index], fields[index + 1]) end
    redis.call('UNLINK', part(kind, source))
  end
end
local function mergeSegments()
  local lists, following = {[KEYS[1]] = view}, {}
  for _, id in ipairs(redis.call('ZRANGE', tag .. 'snapshots', 0, -1)) do
    lists[part('snapshot', id)] = segmentsOf(redis.call('HGET', part('snapshot', id), 'segments'))
  end
  for _, list in pairs(lists) do
    for index, segment in ipairs(list) do
      local after = list[index + 1] and list[index + 1].id or ''
      if (following[segment.id] or after) ~= after then after = '' end
      following[segment.id] = after
    end
  end
  local index = 1
  while index < #view - 1 do
    local first, second = view[index], view[index + 1]
    local target, source = first.id, second.id
    if sizeOf(source) > sizeOf(target) then target, source = source, target end
    local size = sizeOf(source)
    if following[first.id] == second.id and size <= left then
      left = left - size
      moveSegment(source, target)
      following[target] = following[second.id]
      for key, list in pairs(lists) do
        for at = #list - 1, 1, -1 do
          if list[at].id == first.id then
            list[at] = {id = target, start = first.start}
            table.remove(list, at + 1)
          end
        end
        redis.call('HSET', key, 'segments', joinSegments(list))
      end
    else
      index = index + 1
    end
  end
end
`

/** Deletes a snapshot. Own argument: its id. Returns `deleted` or `unknown`. */
export const DELETE_SNAPSHOT = replaceScript(`${MERGE}
local id = ARGV[${FIRST}]
local before = segmentsOf(redis.call('HGET', part('snapshot', id), 'segments'))
if redis.call('EXISTS', part('snapshot', id)) == 0 then return {'unknown'} end
write('ZREM', tag .. 'snapshots', id)
deleteSnapshot(id)
release(before)
if not isDry then mergeSegments() end
return {'deleted'}`)

/**
 * Replaces all data by what an import has written under the id of the segment that begins. Own arguments: `always` or
 * `if-empty`; the number of events; then fields of the head with their values. Returns `imported`; `occupied` if the
 * sandbox has records and must be empty; `expired` if what was written is gone.
 */
export const COMMIT_IMPORT = replaceScript(`
if ARGV[${FIRST}] == 'if-empty' then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.find(field, '^count:') and count(field) > 0 then return {'occupied'} end
  end
end
if isDry then return {'imported'} end
if redis.call('HLEN', part('events', fresh)) ~= tonumber(ARGV[${FIRST + 1}]) then return {'expired'} end
local before = view
register()
discardCounters()
clearData()
setView({{id = fresh, start = 0}})
redis.call('HSET', KEYS[1], unpack(ARGV, ${FIRST + 2}))
if redis.call('EXISTS', part('prompts', fresh)) == 1 then
  redis.call('RENAME', part('prompts', fresh), tag .. 'prompts')
  redis.call('PERSIST', tag .. 'prompts')
end
for _, kind in ipairs({'events', 'places', 'repeats', 'impact', 'replays'}) do
  redis.call('PERSIST', part(kind, fresh))
end
release(before)
return {'imported'}`)

/**
 * Counts the records of sandboxes. ARGV: the number of fields, the fields of the numbers of records, the heads of the
 * sandboxes. Returns for each head `data` or `none`, the number of snapshots, and the numbers of records.
 */
export const COUNT_RECORDS: Script = {
  keys: 0,
  text: `
local reply = {}
local fields = tonumber(ARGV[1])
for index = fields + 2, #ARGV do
  local head = ARGV[index]
  reply[#reply + 1] = redis.call('HEXISTS', head, 'segments') == 1 and 'data' or 'none'
  reply[#reply + 1] = redis.call('ZCARD', string.sub(head, 1, -5) .. 'snapshots')
  for at = 2, fields + 1 do reply[#reply + 1] = redis.call('HGET', head, ARGV[at]) or '0' end
end
return reply`,
}
