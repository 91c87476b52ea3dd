/** The common beginning of all sandbox scripts. `keys.ts` describes the keys. */
import { createScript } from '../connection.ts'
import { KINDS } from '../keys.ts'

/** The name of the format of all keys. A new format gets a new name. */
export const FORMAT_MARK = 'convsim state 5'

/**
 * KEYS: the sandbox's head, the list of sandboxes, the counter for sandboxes and generations, and the format. ARGV:
 * `store` or `dry` (reply without changing anything); the sandbox's name as JSON; the script's arguments, which become
 * `args`. If a data key does not hold a hash, HLEN fails with WRONGTYPE before the first write.
 */
const PRELUDE = `
local tag = string.sub(KEYS[1], 1, -5)
local isDry, name = ARGV[1] == 'dry', ARGV[2]
local args = {unpack(ARGV, 3)}
local kinds = {'${KINDS.join("', '")}'}
for _, kind in ipairs({'snapshots', unpack(kinds)}) do redis.call('HLEN', tag .. kind) end

local function write(...)
  if not isDry then return redis.call(...) end
end
local function find(kind, field) return redis.call('HGET', tag .. kind, field) end
local function read(kind, field) return find(kind, field) or '' end
local function count(kind, field) return tonumber(find(kind, field) or '0') end
local function text(number) return string.format('%.0f', number) end

-- Adds a new sandbox to the end of the list, and stores the format again if Redis was emptied.
local function register()
  if redis.call('EXISTS', KEYS[1]) == 1 then return end
  write('SET', KEYS[4], '${FORMAT_MARK}', 'NX')
  write('ZADD', KEYS[2], write('INCR', KEYS[3]) or 0, name)
end
local function unregister()
  if redis.call('EXISTS', KEYS[1]) == 0 then write('ZREM', KEYS[2], name) end
end
-- Starts a new generation, which shows readers that the data was replaced.
local function beginGeneration() write('HSET', KEYS[1], 'generation', write('INCR', KEYS[3]) or 0) end
local function begin()
  register()
  if read('head', 'generation') == '' then beginGeneration() end
end

-- Derives a UUID as base/core/seeded.ts does. The path begins with the first argument of the script.
local function uuid(...)
  local path = args[1]
  for _, step in ipairs({...}) do path = path .. #tostring(step) .. ':' .. step .. ';' end
  local hex = redis.sha1hex(path)
  local variant = string.format('%x', 8 + tonumber(string.sub(hex, 17, 17), 16) % 4)
  return string.sub(hex, 1, 8) .. '-' .. string.sub(hex, 9, 12) .. '-4' .. string.sub(hex, 14, 16) .. '-' ..
    variant .. string.sub(hex, 18, 20) .. '-' .. string.sub(hex, 21, 32)
end
`

export const sandboxScript = (text: string) => createScript(PRELUDE + text)
