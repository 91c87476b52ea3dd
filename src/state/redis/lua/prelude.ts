/** The beginning of all scripts on a sandbox. `keys.ts` describes the keys. */
import type { Script } from '../connection.ts'

/** The mark of the format of all keys. It changes with every change of the format. */
export const FORMAT_MARK = 'convsim state 3'

/**
 * KEYS: the head of the sandbox, the list of sandboxes, the number of sandboxes that were ever created, the mark of the
 * format. ARGV: `store`, or `dry` to answer without a change; the name of the sandbox as JSON; the id of a segment that
 * may begin; the arguments of the script, which it has in `args`.
 *
 * `view` has the ids of the sandbox's segments. The last one is open, and what is added stands there; all others never
 * change. `find` returns the latest value of a field, and `sum` the sum of its values, in all segments.
 */
const PRELUDE = `
local tag = string.sub(KEYS[1], 1, -5)
local isDry, name, fresh = ARGV[1] == 'dry', ARGV[2], ARGV[3]
local args = {}
for index = 4, #ARGV do args[index - 3] = ARGV[index] end
local kinds = {'events', 'prompts', 'index', 'sums', 'impact', 'replays'}

local function write(...)
  if not isDry then return redis.call(...) end
end
local function head(field) return redis.call('HGET', KEYS[1], field) or '' end
local function count(field) return tonumber(redis.call('HGET', KEYS[1], field) or '0') end
local function text(number) return string.format('%.0f', number) end
local function part(kind, id) return tag .. kind .. ':' .. id end
local function segmentsOf(key)
  local ids = {}
  for id in string.gmatch(redis.call('HGET', key, 'segments') or '', '%S+') do ids[#ids + 1] = id end
  return ids
end

local view = segmentsOf(KEYS[1])
local function openPart(kind) return part(kind, view[#view] or '') end
local function find(kind, field)
  for index = #view, 1, -1 do
    local value = redis.call('HGET', part(kind, view[index]), field)
    if value then return value end
  end
end
local function sum(kind, field)
  local total = 0
  for _, id in ipairs(view) do total = total + tonumber(redis.call('HGET', part(kind, id), field) or '0') end
  return total
end

-- Lists the sandbox behind all others, and marks the format, which a Redis that was emptied has lost.
local function register()
  if redis.call('EXISTS', KEYS[1]) == 1 then return end
  write('SET', KEYS[4], '${FORMAT_MARK}', 'NX')
  write('ZADD', KEYS[2], write('INCR', KEYS[3]) or 0, name)
end
local function unregister()
  if redis.call('EXISTS', KEYS[1]) == 0 then write('ZREM', KEYS[2], name) end
end
local function setView(ids)
  view = ids
  write('HSET', KEYS[1], 'segments', table.concat(ids, ' '), 'open', ids[#ids])
end
local function begin()
  if #view > 0 then return end
  register()
  setView({fresh})
end

-- Derives a UUID as core/seeded.ts does. The path begins with the first argument of the script.
local function uuid(...)
  local path = args[1]
  for _, step in ipairs({...}) do path = path .. #tostring(step) .. ':' .. step .. ';' end
  local hex = redis.sha1hex(path)
  local variant = string.format('%x', 8 + tonumber(string.sub(hex, 17, 17), 16) % 4)
  local first, second, third = string.sub(hex, 1, 8), string.sub(hex, 9, 12), string.sub(hex, 14, 16)
  return first .. '-' .. second .. '-4' .. third .. '-' .. variant .. string.sub(hex, 18, 20) .. '-' ..
    string.sub(hex, 21, 32)
end
`

/** Creates a script that reads or changes a sandbox. */
export const sandboxScript = (text: string): Script => ({ text: PRELUDE + text, keys: 4 })
