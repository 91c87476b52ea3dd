import { MAX_SEQUENCE_KEY, MAX_SEQUENCES, shorten } from '../memory/counters.ts'
import type { Store } from '../store.ts'
import { sandboxScript } from './lua/prelude.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The largest number of rate windows of a sandbox; one more evicts the window that was opened first. */
const MAX_WINDOWS = 10_000

/** The milliseconds after which unused sequences, and rate windows besides their length, are forgotten. */
const UNUSED_MS = 24 * 60 * 60 * 1000

/**
 * The milliseconds by which the clocks of two replicas can differ: a window that begins so much in the future was
 * opened by another replica, and is open. One that begins later has ended, since the sandbox's clock was set back.
 */
export const CLOCK_TOLERANCE_MS = 3000

/**
 * The first arguments: `sequences` or `windows`; the field; the largest number of fields; the milliseconds after which
 * unused fields are forgotten. `touch` makes the field the last, and evicts the first beyond the largest number.
 */
const FIELDS = `
local kind, field, most, lifeMs = unpack(args)
local fields, order = tag .. kind, tag .. kind .. '-order'
local function touch()
  local last = redis.call('ZREVRANGE', order, 0, 0, 'WITHSCORES')
  write('ZADD', order, tonumber(last[2] or '0') + 1, field)
  local first = redis.call('ZCARD', order) > tonumber(most) and write('ZPOPMIN', order)
  if first then write('HDEL', fields, first[1]) end
end
local function expire()
  if redis.call('PTTL', fields) >= tonumber(lifeMs) then return end
  write('PEXPIRE', fields, lifeMs)
  write('PEXPIRE', order, lifeMs)
end
`

/** Advances a sequence. Returns the count before. */
const NEXT_SEQUENCE_INDEX = sandboxScript(`${FIELDS}
local before = count(kind, field)
write('HINCRBY', fields, field, 1)
touch()
expire()
return {before}`)

/**
 * Consumes one unit of a rate window, unless none is left, and opens it if none is open. More arguments: the limit, the
 * present time, the end of a window that opens now. Returns the units that were used before, and the end of the window.
 */
const CONSUME_RATE = sandboxScript(`${FIELDS}
local limit, now, newEnd = unpack(args, 5)
local opened, ends, used = string.match(read(kind, field), '^(%S+) (%S+) (%S+)$')
local isOpen = opened and tonumber(opened) <= now + ${CLOCK_TOLERANCE_MS} and tonumber(now) < tonumber(ends)
if not isOpen then opened, ends, used = now, newEnd, '0' end
local taken = tonumber(used) < tonumber(limit) and 1 or 0
write('HSET', fields, field, opened .. ' ' .. ends .. ' ' .. string.format('%d', used + taken))
if not isOpen then touch() end
expire()
return {used, ends}`)

/** Returns the sequences in the order of their latest use, each with its count. */
const LIST_SEQUENCES = sandboxScript(`
local listed = {}
for _, field in ipairs(redis.call('ZRANGE', tag .. 'sequences-order', 0, -1)) do
  listed[#listed + 1] = {field, count('sequences', field)}
end
return listed`)

/**
 * Creates the counters of all replicas. Each step is one script; the script that replaces a sandbox's data discards
 * them. `ownSteps`: the steps of a fork by their counter, which Redis does not have, and no list has.
 */
export function createCounters(
  scripts: SandboxScripts,
  ownSteps: Map<string, number>,
): Pick<Store, 'consumeRate' | 'nextSequenceIndex' | 'listSequences'> {
  /** Counts a step of a fork. Returns the number of its earlier ones: 0 where Redis counts them. */
  function countOwn(counter: string): number {
    const before = ownSteps.get(counter) ?? 0
    if (scripts.isFork) ownSteps.set(counter, before + 1)
    return before
  }
  return {
    async consumeRate({ sandbox, now }, key, limit, windowMs) {
      const field = shorten(key, 0) // a hash, since the key has the token of a caller
      const own = countOwn(`windows ${sandbox} ${field}`)
      const lifeMs = Math.ceil(windowMs) + UNUSED_MS
      const args = ['windows', field, MAX_WINDOWS, lifeMs, limit, now, now + windowMs]
      const [before, ends] = await scripts.run(CONSUME_RATE, sandbox, args)
      const left = limit - Number(before) - own
      return { allowed: left > 0, limit, remaining: Math.max(0, left - 1), resetMs: Number(ends) - now }
    },
    async nextSequenceIndex(sandbox, key) {
      const field = shorten(key, MAX_SEQUENCE_KEY)
      const own = countOwn(`sequences ${sandbox} ${field}`)
      const args = ['sequences', field, MAX_SEQUENCES, UNUSED_MS]
      const [before] = await scripts.run(NEXT_SEQUENCE_INDEX, sandbox, args)
      return Number(before) + own
    },
    async listSequences(sandbox) {
      const listed = await scripts.run(LIST_SEQUENCES, sandbox)
      return new Map((listed as [string, number][]).map(([key, count]) => [key, count])) // the script returns pairs
    },
  }
}
