import { sandboxScript } from './prelude.ts'

/**
 * Replaces fields of the head. Arguments: the digest of the present text of the first field, or empty to replace any;
 * `data`, or `settings`, which are no data; then the fields with their values, of which an empty first one removes all.
 * Returns `stored`, or `conflict`.
 */
export const PUT_FIELDS = sandboxScript(`
local expected, kind, field, value = unpack(args)
if expected ~= '' and redis.sha1hex(read('head', field)) ~= expected then return {'conflict'} end
if value == '' then
  for index = 3, #args, 2 do write('HDEL', KEYS[1], args[index]) end
  unregister()
else
  if kind == 'data' then begin() else register() end
  write('HSET', KEYS[1], unpack(args, 3))
end
return {'stored'}`)

/**
 * Replaces the data of a sandbox or a snapshot. `put` has the beginnings of the keys, and without a source it deletes.
 * `replaceData` discards the counters, too: its first write frees memory, so that a full Redis takes the others. An
 * import is moved, since a copy of a large one would take long, as would a move over a large hash.
 */
const REPLACE = `
local snapshots = tag .. 'snapshots'
local function copyOf(id) return tag .. 'snapshot:' .. id .. ':' end
local function put(source, target, isMoved)
  for _, kind in ipairs(kinds) do
    local isThere = source and redis.call('EXISTS', source .. kind) == 1
    if isMoved or not isThere then write('UNLINK', target .. kind) end
    if isThere and isMoved then
      write('RENAME', source .. kind, target .. kind)
      write('PERSIST', target .. kind)
    elseif isThere then
      write('COPY', source .. kind, target .. kind, 'REPLACE')
    end
  end
end
local function replaceData(source, isMoved)
  local lasting, kept = {'settings', 'settings-version', 'snapshots', 'snapshots-taken'}, {}
  for _, field in ipairs(lasting) do
    local value = find('head', field)
    if value then kept[#kept + 1], kept[#kept + 2] = field, value end
  end
  for _, key in ipairs({'sequences', 'sequences-order', 'windows', 'windows-order', 'replay-log'}) do
    write('UNLINK', tag .. key)
  end
  put(source, tag, isMoved)
  write('HDEL', KEYS[1], unpack(lasting))
  if #kept > 0 then write('HSET', KEYS[1], unpack(kept)) end
end
local function dropSnapshot(id)
  put(nil, copyOf(id))
  write('HDEL', snapshots, id)
  write('HINCRBY', KEYS[1], 'snapshots', -1)
end
`

/**
 * Deletes all data and counters. Argument: `data`, or `all` to delete snapshots and settings, too. Returns `deleted`,
 * or `absent` if nothing but counters was stored.
 */
export const RESET = sandboxScript(`${REPLACE}
local outcome = redis.call('EXISTS', KEYS[1]) == 1 and 'deleted' or 'absent'
replaceData()
if args[1] == 'all' then
  for _, id in ipairs(redis.call('HKEYS', snapshots)) do dropSnapshot(id) end
  write('UNLINK', KEYS[1])
end
if redis.call('EXISTS', snapshots) == 1 then
  write('HSET', KEYS[1], 'generation', generation)
else
  write('HDEL', KEYS[1], 'snapshots', 'snapshots-taken')
  unregister()
end
return {outcome}`)

/**
 * Copies all data to a snapshot. Arguments: the path of seed and sandbox; the rest of its description; the names of the
 * collections. Returns the description, which has the number of each snapshot and the numbers of records.
 */
export const CREATE_SNAPSHOT = sandboxScript(`${REPLACE}
local taken = text(count('head', 'snapshots-taken'))
local id = uuid('snapshot', taken)
begin()
put(tag, copyOf(id))
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
replaceData(copyOf(args[1]))
write('HSET', KEYS[1], 'generation', generation)
return {'restored'}`)

/** Deletes a snapshot. Argument: its id. Returns `deleted` or `unknown`. */
export const DELETE_SNAPSHOT = sandboxScript(`${REPLACE}
if redis.call('HEXISTS', snapshots, args[1]) == 0 then return {'unknown'} end
dropSnapshot(args[1])
return {'deleted'}`)

/**
 * Replaces all data by what an import has written under the id of the generation. Arguments: `always` or `if-empty`;
 * then fields of the head with the numbers that were written. Returns `imported`; `occupied` if the sandbox has records
 * and must be empty; `expired` if a part of what was written is gone.
 */
export const COMMIT_IMPORT = sandboxScript(`${REPLACE}
if args[1] == 'if-empty' then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.find(field, '^count:') and count('head', field) > 0 then return {'occupied'} end
  end
end
if isDry then return {'imported'} end
local staged = tag .. 'staged:' .. generation .. ':'
if redis.call('EXISTS', staged .. 'head') == 0 then return {'expired'} end
for index = 2, #args, 2 do
  local written = redis.call('HGET', staged .. 'head', args[index]) or '0'
  if written ~= args[index + 1] then return {'expired'} end
end
register()
replaceData(staged, true)
return {'imported'}`)
