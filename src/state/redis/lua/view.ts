/** The beginning of all scripts on a sandbox. `keys.ts` describes the keys. */
import type { Script } from '../connection.ts'

/** The mark of the format of all keys. It changes with every change of the format. */
export const FORMAT_MARK = 'convsim state 2'

/** The place of the first argument of a script's own. */
export const FIRST = 5

/**
 * KEYS: the head of the sandbox, the list of sandboxes, the number of sandboxes that were ever created, the mark of the
 * format. ARGV: `store`, or `dry` to answer without a change; the name of the sandbox as JSON; the id of a segment that
 * may begin; the group of the write, or empty; the arguments of the script.
 *
 * `view`: the segments of the sandbox, each with the place of its first event; the last one is open, all others never
 * change.
 */
const VIEW = `
local tag = string.sub(KEYS[1], 1, -5)
local name, fresh = ARGV[2], ARGV[3]
local isDry = ARGV[1] == 'dry'
local function write(...)
  if not isDry then return redis.call(...) end
end
local function segmentsOf(text)
  local list = {}
  for id, start in string.gmatch(text or '', '(%S+)@(%d+)') do list[#list + 1] = {id = id, start = tonumber(start)} end
  return list
end
local function part(kind, id) return tag .. kind .. ':' .. id end
local function count(field) return tonumber(redis.call('HGET', KEYS[1], field) or '0') end
local view = segmentsOf(redis.call('HGET', KEYS[1], 'segments'))
local function openId() return #view > 0 and view[#view].id or '' end
`

/**
 * Stops the writes of a group that were sent behind one that has a conflict, so that all can be sent again in their
 * order (`write-order.ts`): they return `stopped`. `refuse` returns that or begins it, with the count that an offer
 * should have been for.
 */
const GROUP = `
local group = ARGV[4]
local isStopped = redis.call('GET', tag .. 'stopped') == group
local function refuse(...)
  if isStopped then return {'stopped', ...} end
  write('SET', tag .. 'stopped', group, 'PX', 10000)
  return {'conflict', ...}
end
`

/** Stops a write that is no offer before it reads anything. */
const STOP = `
if isStopped then return {'stopped'} end
`

/** Begins a sandbox: lists it behind all others, and marks the format, which a Redis that was emptied has lost. */
const BEGIN = `
local function register()
  if redis.call('EXISTS', KEYS[1]) == 1 then return end
  write('SET', KEYS[4], '${FORMAT_MARK}', 'NX')
  write('ZADD', KEYS[2], write('INCR', KEYS[3]) or 0, name)
end
local function joinSegments(list)
  local texts = {}
  for _, segment in ipairs(list) do texts[#texts + 1] = segment.id .. '@' .. string.format('%.0f', segment.start) end
  return table.concat(texts, ' ')
end
local function setView(list)
  write('HSET', KEYS[1], 'segments', joinSegments(list), 'open', list[#list].id)
  view = list
end
local function begin()
  if #view > 0 then return end
  register()
  setView({{id = fresh, start = 0}})
end
`

/**
 * Replaces or deletes all data. `release` deletes the segments that neither the sandbox nor a snapshot has any more.
 */
const REPLACE = `
local function discardCounters()
  write('UNLINK', tag .. 'sequences', tag .. 'sequence-order', tag .. 'windows', tag .. 'window-order')
end
local function clearData()
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if field ~= 'snapshots-taken' and not string.find(field, '^settings') then write('HDEL', KEYS[1], field) end
  end
  write('UNLINK', tag .. 'prompts')
end
local function deleteSnapshot(id)
  local key = part('snapshot', id)
  write('UNLINK', key, key .. ':prompts')
end
local function release(before)
  local used = {}
  local function use(key)
    for _, segment in ipairs(segmentsOf(redis.call('HGET', key, 'segments'))) do used[segment.id] = true end
  end
  use(KEYS[1])
  for _, id in ipairs(redis.call('ZRANGE', tag .. 'snapshots', 0, -1)) do use(part('snapshot', id)) end
  for _, segment in ipairs(before) do
    if not used[segment.id] then
      for _, kind in ipairs({'events', 'places', 'repeats', 'impact', 'replays', 'replay-log'}) do
        write('UNLINK', part(kind, segment.id))
      end
    end
  end
end
`

/** Creates a script that reads a sandbox. */
export const readScript = (text: string): Script => ({ text: VIEW + text, keys: 4 })

/** Creates a script that changes records of a sandbox. */
export const changeScript = (text: string): Script => ({ text: VIEW + GROUP + STOP + BEGIN + text, keys: 4 })

/**
 * Creates a script that takes one of the candidates that it is offered, and calls `refuse` if there is none, or the
 * group is stopped.
 */
export const offerScript = (text: string): Script => ({ text: VIEW + GROUP + BEGIN + text, keys: 4 })

/** Creates a script that replaces or deletes the data of a sandbox. */
export const replaceScript = (text: string): Script => changeScript(REPLACE + text)
