import { MAX_SEQUENCE_KEY, MAX_SEQUENCES, shorten } from '../memory/counters.ts'
import type { Store } from '../store.ts'
import { sandboxScript } from './lua/prelude.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The maximum number of rate limit windows per sandbox. A further window evicts the least recently used one. */
const MAX_WINDOWS = 10_000

/** Milliseconds after which unused counters expire, in addition to the length of their window. */
const UNUSED_MS = 24 * 60 * 60 * 1000

/**
 * Milliseconds by which the clocks of two replicas may differ. A window that opens at most this far in the future is
 * used, since another replica may have opened it. A later window is discarded: the sandbox's clock was set back.
 */
const CLOCK_TOLERANCE_MS = 3000

/**
 * Consumes one unit of a counter if a unit is left. Opens a new window if none is open. Arguments: `sequences` or
 * `windows`; the field; the maximum number of fields; the limit; the current time; and the end of a window that opens
 * now. The field becomes the most recently used. If there are then too many fields, the least recently used field is
 * evicted. Returns the number of units that were already used, and the end of the window.
 */
const CONSUME = sandboxScript(`
local kind, field, maxFields, limit, now, newEnd = unpack(args)
local fields, order = tag .. kind, tag .. kind .. '-order'
local opened, ends, used = string.match(read(kind, field), '^(%S+) (%S+) (%S+)$')
local isOpen = opened and tonumber(opened) <= now + ${CLOCK_TOLERANCE_MS} and tonumber(now) < tonumber(ends)
if not isOpen then opened, ends, used = now, newEnd, '0' end
local taken = tonumber(used) < tonumber(limit) and 1 or 0
write('HSET', fields, field, opened .. ' ' .. ends .. ' ' .. text(used + taken))
local last = redis.call('ZREVRANGE', order, 0, 0, 'WITHSCORES')
write('ZADD', order, tonumber(last[2] or '0') + 1, field)
local first = redis.call('ZCARD', order) > tonumber(maxFields) and write('ZPOPMIN', order)
if first then write('HDEL', fields, first[1]) end
local lifeMs = ${UNUSED_MS} + newEnd - now
for _, key in ipairs({fields, order}) do
  if redis.call('PTTL', key) < lifeMs then write('PEXPIRE', key, text(lifeMs)) end
end
return {used, ends}`)

const LIST_SEQUENCES = sandboxScript(`
local listed = {}
for _, field in ipairs(redis.call('ZRANGE', tag .. 'sequences-order', 0, -1)) do
  listed[#listed + 1] = {field, string.match(read('sequences', field), '%S+$')}
end
return listed`)

/** Creates the counters that all replicas share. Scripts that replace a sandbox's data discard its counters. */
export function createCounters(
  scripts: SandboxScripts,
): Pick<Store, 'consumeRate' | 'nextSequenceIndex' | 'listSequences'> {
  /** The units that a fork consumed, by counter. They are not stored in Redis, and `listSequences` omits them. */
  const ownUnits = new Map<string, number>()
  /** Consumes a unit. Returns the number of units already used, including the fork's own, and the end of the window. */
  async function consume(sandbox: string, kind: string, field: string, ...bounds: readonly number[]) {
    const [used, ends] = await scripts.run(CONSUME, sandbox, kind, field, ...bounds)
    const counter = `${kind} ${sandbox} ${field}`
    const own = ownUnits.get(counter) ?? 0
    if (scripts.isFork) ownUnits.set(counter, own + 1)
    return { used: Number(used) + own, ends: Number(ends) }
  }
  return {
    async consumeRate({ sandbox, now }, key, limit, windowMs) {
      const field = shorten(key, 0) // a hash, since the key contains a caller's token
      const { used, ends } = await consume(sandbox, 'windows', field, MAX_WINDOWS, limit, now, now + windowMs)
      return { allowed: used < limit, limit, remaining: Math.max(0, limit - used - 1), resetMs: ends - now }
    },
    // A sequence is a window that has no limit and never ends.
    nextSequenceIndex: async (sandbox, key) => {
      const field = shorten(key, MAX_SEQUENCE_KEY)
      return (await consume(sandbox, 'sequences', field, MAX_SEQUENCES, Number.MAX_SAFE_INTEGER, 0, 1)).used
    },
    async listSequences(sandbox) {
      const counts = await scripts.run(LIST_SEQUENCES, sandbox) // returns pairs of a key and a count
      return new Map((counts as [string, string][]).map(([key, count]) => [key, Number(count)]))
    },
  }
}
