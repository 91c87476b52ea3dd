import { Redis } from 'ioredis'

/** Copies the sandbox `first` to others, as if each had been written to. */
const COPY = `
local from = '{' .. ARGV[1] .. ':first}:'
local keys = redis.call('KEYS', from .. '*')
for number = 1, tonumber(ARGV[2]) do
  local name = 'copy-' .. number
  local tag = '{' .. ARGV[1] .. ':' .. name .. '}:'
  for _, key in ipairs(keys) do
    redis.call('COPY', key, tag .. string.sub(key, #from + 1))
  end
  local place = redis.call('INCR', '{' .. ARGV[1] .. '}:created')
  redis.call('ZADD', '{' .. ARGV[1] .. '}:sandboxes', place, '"' .. name .. '"')
end`

/** Gives a state in Redis many sandboxes, `copy-1` and so on, which are like its sandbox `first`. */
export async function fillSandboxes(url: string, prefix: string, count: number): Promise<void> {
  const redis = new Redis(url)
  await redis.eval(COPY, 0, prefix, count)
  redis.disconnect()
}
