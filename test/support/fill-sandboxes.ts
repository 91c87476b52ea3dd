import { Redis } from 'ioredis'

/** Copies the log of the sandbox `first` to others, as if each had been written to. */
const COPY = `
local lines = redis.call('LRANGE', '{' .. ARGV[1] .. ':first}:log', 0, -1)
for number = 1, tonumber(ARGV[2]) do
  local name = 'copy-' .. number
  local tag = '{' .. ARGV[1] .. ':' .. name .. '}'
  redis.call('HSET', tag .. ':head', 'incarnation', name, 'base', 0)
  for _, line in ipairs(lines) do
    redis.call('RPUSH', tag .. ':log', (string.gsub(line, '"sandbox":"first"', '"sandbox":"' .. name .. '"')))
  end
  redis.call('ZADD', '{' .. ARGV[1] .. '}:sandboxes', redis.call('INCR', '{' .. ARGV[1] .. '}:created'), name .. ' "' .. name .. '"')
end`

/** Gives a state in Redis many sandboxes, `copy-1` and so on, which are like its sandbox `first`. */
export async function fillSandboxes(url: string, prefix: string, count: number): Promise<void> {
  const redis = new Redis(url)
  await redis.eval(COPY, 0, prefix, count)
  redis.disconnect()
}
