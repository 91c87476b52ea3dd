import { sandboxScript } from './prelude.ts'

/**
 * Replaces a field of the head. Arguments: the SHA-1 digest that the field's current text must have, or empty to accept
 * any text; the field; its new value, or empty to remove the field. Returns `stored` or `conflict`.
 */
export const PUT_FIELD = sandboxScript(`
local expected, field, value = unpack(args)
if expected ~= '' and redis.sha1hex(read('head', field)) ~= expected then return {'conflict'} end
if value == '' then
  write('HDEL', KEYS[1], field)
  unregister()
else
  if field == 'settings' then register() else begin() end
  write('HSET', KEYS[1], field, value)
end
return {'stored'}`)

/**
 * Functions that replace the data of a sandbox or a snapshot. `put` takes key prefixes; without a source, it deletes
 * the target. With `isMoved`, it renames the source's keys, which is faster than copying large hashes. `replaceData`
 * first deletes the counters: a full Redis refuses a script only at its first write, and never refuses a deletion.
 */
const REPLACE = `
local snapshots = tag .. 'snapshots'
local function copyOf(id) return tag .. 'snapshot:' .. id .. ':' end
local function put(source, target, isMoved)
  for _, kind in ipairs(kinds) do
    local exists = source and redis.call('EXISTS', source .. kind) == 1
    if isMoved or not exists then write('DEL', target .. kind) end
    if exists and isMoved then
      write('RENAME', source .. kind, target .. kind)
      write('PERSIST', target .. kind)
    elseif exists then
      write('COPY', source .. kind, target .. kind, 'REPLACE')
    end
  end
end
local function replaceData(source, isMoved)
  local settings = read('head', 'settings')
  for _, key in ipairs({'sequences', 'sequences-order', 'windows', 'windows-order'}) do write('DEL', tag .. key) end
  put(source, tag, isMoved)
  if source then beginGeneration() end
  write('HDEL', KEYS[1], 'settings')
  if settings ~= '' then write('HSET', KEYS[1], 'settings', settings) end
end
local function dropSnapshot(id)
  put(nil, copyOf(id))
  write('HDEL', snapshots, id)
end
`

/**
 * Deletes all data and counters. Argument: `data`, or `all` to also delete snapshots and settings. Returns `deleted`,
 * or `absent` if nothing but counters was stored.
 */
export const RESET = sandboxScript(`${REPLACE}
local outcome = redis.call('EXISTS', KEYS[1]) == 1 and 'deleted' or 'absent'
replaceData()
if args[1] == 'all' then
  for _, id in ipairs(redis.call('HKEYS', snapshots)) do dropSnapshot(id) end
  write('DEL', KEYS[1])
end
if redis.call('EXISTS', snapshots) == 1 then
  beginGeneration()
else
  write('DEL', tag .. 'taken')
  unregister()
end
return {outcome}`)

/**
 * Copies all data to a snapshot. Arguments: the path of the seed and sandbox; the rest of the description as JSON; the
 * names of the collections. Returns the description, with the snapshot's number and the record counts.
 */
export const CREATE_SNAPSHOT = sandboxScript(`${REPLACE}
local taken = redis.call('GET', tag .. 'taken') or '0'
local id = uuid('snapshot', taken)
begin()
put(tag, copyOf(id))
local description = '{"snapshotId":"' .. id .. '","taken":' .. taken
for index = 3, #args do
  description = description .. ',"' .. args[index] .. '":' .. text(count('head', 'count:' .. args[index]))
end
description = description .. ',' .. string.sub(args[2], 2)
write('HSET', snapshots, id, description)
write('INCR', tag .. 'taken')
return {description}`)

/** Restores or deletes a snapshot. Arguments: `restore` or `delete`; the snapshot's ID. Returns `done` or `unknown`. */
export const USE_SNAPSHOT = sandboxScript(`${REPLACE}
local action, id = unpack(args)
if redis.call('HEXISTS', snapshots, id) == 0 then return {'unknown'} end
if action == 'restore' then replaceData(copyOf(id)) else dropSnapshot(id) end
return {'done'}`)

/**
 * Replaces all data with the data of an import. Arguments: `always` or `if-empty`; the import's ID. Returns `imported`,
 * `occupied` if the sandbox must be empty but has records, or `expired` if the staged data has expired.
 */
export const COMMIT_IMPORT = sandboxScript(`${REPLACE}
local condition, id = unpack(args)
if condition == 'if-empty' then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.find(field, '^count:') and count('head', field) > 0 then return {'occupied'} end
  end
end
if isDry then return {'imported'} end
local staged = tag .. 'staged:' .. id .. ':'
if redis.call('EXISTS', staged .. 'head') == 0 then return {'expired'} end
register()
replaceData(staged, true)
return {'imported'}`)
