import { sandboxScript } from './prelude.ts'

/**
 * Replaces a field of the head. Arguments: the field; the digest of its present text; the next text; for records the
 * field and the number of records. Settings are no data: an empty text removes them, and they have a version. Returns
 * `stored`, or `conflict`.
 */
export const PUT_FIELD = sandboxScript(`
local field, expected, value, counted, number = unpack(args)
if redis.sha1hex(read('head', field)) ~= expected then return {'conflict'} end
if counted then
  begin()
  write('HSET', KEYS[1], field, value, counted, number)
elseif value ~= '' then
  register()
  write('HSET', KEYS[1], field, value, field .. '-version', redis.sha1hex(value))
else
  write('HDEL', KEYS[1], field, field .. '-version')
  unregister()
end
return {'stored'}`)

/** Stores the quality settings. Argument: the settings. */
export const PUT_QUALITY = sandboxScript(`
begin()
write('HSET', KEYS[1], 'quality', args[1])
return {'stored'}`)

/** Copies or deletes the data and counters of a sandbox. The first write frees memory, which a full Redis takes. */
const REPLACE = `
local snapshots = tag .. 'snapshots'
local function copyOf(id) return tag .. 'snapshot:' .. id .. ':' end
local function listData(key)
  local fields = {}
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if not string.find(field, '^snapshots') and not string.find(field, '^settings') then fields[#fields + 1] = field end
  end
  return fields
end
local function copy(source, target)
  for _, kind in ipairs(kinds) do
    if redis.call('EXISTS', source .. kind) == 1 then
      write('COPY', source .. kind, target .. kind, 'REPLACE')
    else
      write('UNLINK', target .. kind)
    end
  end
  for _, field in ipairs(listData(target .. 'head')) do write('HDEL', target .. 'head', field) end
  for _, field in ipairs(listData(source .. 'head')) do
    write('HSET', target .. 'head', field, redis.call('HGET', source .. 'head', field))
  end
end
local function drop(from)
  for _, kind in ipairs(kinds) do write('UNLINK', from .. kind) end
end
local function discardCounters()
  write('UNLINK', tag .. 'sequences', tag .. 'sequences-order', tag .. 'windows', tag .. 'windows-order')
  write('UNLINK', tag .. 'replay-log')
end
local function clear()
  discardCounters()
  drop(tag)
  for _, field in ipairs(listData(KEYS[1])) do write('HDEL', KEYS[1], field) end
end
local function dropSnapshot(id)
  write('UNLINK', copyOf(id) .. 'head')
  drop(copyOf(id))
  write('HDEL', snapshots, id)
  write('HINCRBY', KEYS[1], 'snapshots', -1)
end
`

/** Deletes all data and counters, but no snapshot. */
export const RESET = sandboxScript(`${REPLACE}
clear()
if redis.call('EXISTS', snapshots) == 1 then
  write('HSET', KEYS[1], 'generation', generation)
else
  write('HDEL', KEYS[1], 'snapshots', 'snapshots-taken')
  unregister()
end
return {'reset'}`)

/** Deletes everything of a sandbox. Returns `deleted`, or `absent` if nothing but counters was stored. */
export const DELETE_SANDBOX = sandboxScript(`${REPLACE}
local outcome = redis.call('EXISTS', KEYS[1]) == 1 and 'deleted' or 'absent'
clear()
for _, id in ipairs(redis.call('HKEYS', snapshots)) do dropSnapshot(id) end
write('UNLINK', KEYS[1])
unregister()
return {outcome}`)

/**
 * Copies all data to a snapshot. Arguments: the path of seed and sandbox; the rest of its description; the names of the
 * collections. Returns the description, which has the number of each snapshot and the numbers of records.
 */
export const CREATE_SNAPSHOT = sandboxScript(`${REPLACE}
local taken = text(count('head', 'snapshots-taken'))
local id = uuid('snapshot', taken)
begin()
copy(tag, copyOf(id))
local description = '{"snapshotId":"' .. id .. '","taken":' .. taken
for index = 3, #args do
  description = description .. ',"' .. args[index] .. '":' .. text(count('head', 'count:' .. args[index]))
end
description = description .. ',' .. string.sub(args[2], 2)
write('HSET', snapshots, id, description)
write('HINCRBY', KEYS[1], 'snapshots', 1)
write('HINCRBY', KEYS[1], 'snapshots-taken', 1)
return {description}`)

/** Restores a snapshot. Argument: its id. Returns `restored` or `unknown`. */
export const RESTORE_SNAPSHOT = sandboxScript(`${REPLACE}
if redis.call('HEXISTS', snapshots, args[1]) == 0 then return {'unknown'} end
discardCounters()
copy(copyOf(args[1]), tag)
write('HSET', KEYS[1], 'generation', generation)
return {'restored'}`)

/** Deletes a snapshot. Argument: its id. Returns `deleted` or `unknown`. */
export const DELETE_SNAPSHOT = sandboxScript(`${REPLACE}
if redis.call('HEXISTS', snapshots, args[1]) == 0 then return {'unknown'} end
dropSnapshot(args[1])
return {'deleted'}`)

/**
 * Replaces all data by what an import has written under the id of the generation. Arguments: `always` or `if-empty`;
 * the number of fields of each kind; then fields of the head with their values. Returns `imported`; `occupied` if the
 * sandbox has records and must be empty; `expired` if a part of what was written is gone.
 */
export const COMMIT_IMPORT = sandboxScript(`${REPLACE}
if args[1] == 'if-empty' then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.find(field, '^count:') and count('head', field) > 0 then return {'occupied'} end
  end
end
if isDry then return {'imported'} end
local staged = tag .. 'staged:' .. generation .. ':'
for index, kind in ipairs(kinds) do
  if redis.call('HLEN', staged .. kind) ~= tonumber(args[index + 1]) then return {'expired'} end
end
register()
clear()
redis.call('HSET', KEYS[1], 'generation', generation, unpack(args, #kinds + 2))
for index, kind in ipairs(kinds) do
  if args[index + 1] ~= '0' then
    redis.call('RENAME', staged .. kind, tag .. kind)
    redis.call('PERSIST', tag .. kind)
  end
end
return {'imported'}`)
