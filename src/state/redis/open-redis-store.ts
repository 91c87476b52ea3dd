/** Opens the state in Redis: connects, and checks that Redis accepts changes and that the state's format is known. */
import { hash } from 'node:crypto'
import type { JsonObject } from '../../base/core/json.ts'
import { LruCache } from '../../base/core/memoize.ts'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import type { OpenedStore } from '../file/file-store.ts'
import type { SharedState } from '../shared-state.ts'
import { StoreUnavailableError } from '../store.ts'
import { createScript, RedisConnection, type RedisTimeouts } from './connection.ts'
import { describeStartError } from './faults.ts'
import { openJournalStream } from './journal-stream.ts'
import { sharedKeys } from './keys.ts'
import type { RedisLocation } from './location.ts'
import { FORMAT_MARK } from './lua/prelude.ts'
import { PUT_FIELD } from './lua/sandbox-scripts.ts'
import { createRedisStore, listSandboxNames } from './redis-store.ts'
import { parseStoredJson, SandboxScripts } from './sandbox-scripts.ts'

export interface RedisStoreOptions extends Partial<RedisTimeouts> {
  readonly warn?: (problem: string) => void
}

export interface OpenedRedisStore extends OpenedStore {
  readonly shared: SharedState
  readonly connection: RedisConnection
}

export async function openRedisStore(
  location: RedisLocation,
  { commandMs = 2000, connectMs = 5000, warn }: RedisStoreOptions = {},
): Promise<Result<OpenedRedisStore>> {
  const { prefix, displayUrl } = location
  const pending = RedisConnection.open(location, { commandMs, connectMs })
  try {
    const connection = await pending
    const scripts = new SandboxScripts(connection, prefix)
    const findProblem = createProbe(scripts, location, warn)
    const info = String(await connection.call('info'))
    const problem = /^cluster_enabled:1/m.test(info) ? `The state in ${displayUrl} ${CLUSTER}` : await findProblem()
    if (problem !== undefined) throw new Error(problem)
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction'
    const eviction = `With the maxmemory-policy ${policy}, Redis may delete parts of the state.`
    const warnings = [connection.warning ?? [], policy === 'noeviction' ? [] : `${eviction} Use noeviction instead.`]
    const store = createRedisStore(scripts, {
      findOutage: () =>
        findProblem().catch((error: unknown) => {
          if (error instanceof StoreUnavailableError) return error.message
          throw error
        }),
      close: () => connection.finish(),
    })
    const sandboxes = Number(await connection.call('zcard', `${sharedKeys(prefix)}sandboxes`))
    const shared: SharedState = {
      displayUrl,
      ...createSettings(scripts),
      listNewestSandboxes: (limit) => listSandboxNames(connection, prefix, limit),
      openJournal: (size) => openJournalStream({ connection, prefix, replica: scripts.createId(), size }),
    }
    return success({ store, loaded: { sandboxes, logEntries: 0, warnings: warnings.flat() }, shared, connection })
  } catch (error) {
    await pending.then((connection) => connection.close()).catch(() => undefined)
    const isUnavailable = error instanceof StoreUnavailableError
    return failure(isUnavailable ? describeStartError(error.cause, location) : reasonOf(error))
  }
}

const CLUSTER = 'cannot be used: that server is a node of a cluster. Set --state to a server without cluster mode.'

const EMPTIED =
  'was emptied, for example by FLUSHALL or by a restart of Redis without its data. All earlier data is lost.'

/**
 * Stores the format and an ID, unless they exist, and tries the commands that most requests need. KEYS: the format, the
 * ID, and four keys to try commands on. ARGV: the format, and a new ID. Returns the stored format and ID, or only the
 * format if it differs from the given one. If one of the commands fails, the error message ends with its name.
 */
const PROBE = createScript(`
local mark, id, hash, set, stream, number = unpack(KEYS)
local found = redis.call('SET', mark, ARGV[1], 'NX', 'GET') or ARGV[1]
if found ~= ARGV[1] then return {found} end
local known = redis.call('SET', id, ARGV[2], 'NX', 'GET') or ARGV[2]
for _, command in ipairs({
  {'HSET', hash, 'a', '1'}, {'HSETNX', hash, 'a', '1'}, {'HINCRBY', hash, 'a', '1'}, {'HDEL', hash, 'b'},
  {'HGET', hash, 'a'}, {'HMGET', hash, 'a'}, {'HLEN', hash}, {'HKEYS', hash}, {'HGETALL', hash}, {'EXISTS', hash},
  {'ZADD', set, '1', 'a'}, {'ZREVRANGE', set, '0', '0'}, {'ZRANGE', set, '0', '0'}, {'ZCARD', set}, {'ZREM', set, 'b'},
  {'PEXPIRE', set, '60000'}, {'PTTL', set}, {'ZPOPMIN', set},
  {'XADD', stream, '*', 'a', '1'}, {'XRANGE', stream, '-', '+'}, {'INCR', number}, {'GET', number},
  {'DEL', hash, set, stream, number},
}) do
  local reply = redis.pcall(unpack(command))
  if type(reply) == 'table' and reply.err then
    return redis.error_reply(string.gsub(reply.err, '%.$', '') .. ' (' .. command[1] .. ')')
  end
end
return {found, known}`)

/** Creates a function that runs `PROBE`, warns if Redis was emptied, and returns a message if the format is unknown. */
function createProbe(
  scripts: SandboxScripts,
  { prefix, displayUrl }: RedisLocation,
  warn: (problem: string) => void = () => {},
): () => Promise<string | undefined> {
  const keys = [
    ...['format', 'id'].map((key) => sharedKeys(prefix) + key),
    ...['hash', 'set', 'stream', 'number'].map((kind) => scripts.keyOf('default', `probe-${kind}`)),
  ]
  const run = () => scripts.connection.run(PROBE, keys, [FORMAT_MARK, scripts.createId()])
  let knownId: string | undefined

  return async () => {
    if (knownId === undefined) await run() // the client first sends EVAL, and later EVALSHA, so try both
    const [found, id] = (await run()) as string[] // the script's return type
    if (found !== FORMAT_MARK)
      return (
        `The state in ${displayUrl} cannot be used: the keys with the prefix "${prefix}" have the format "${found}", ` +
        `but this version uses "${FORMAT_MARK}". Use the version that wrote them, or another prefix (--state-prefix).`
      )
    if (knownId !== undefined && id !== knownId) warn(`The state in ${displayUrl} ${EMPTIED}`)
    knownId = id
    return undefined
  }
}

const MAX_ATTEMPTS = 50

function createSettings(scripts: SandboxScripts): Pick<SharedState, 'readSettings' | 'updateSettings'> {
  const parsed = new LruCache<JsonObject>(200)
  async function read(sandbox: string) {
    const [text = ''] = await scripts.readFields(sandbox, 'settings')
    if (text === '') return { text, settings: undefined }
    return { text, settings: parsed.get(text, () => parseStoredJson<JsonObject>(sandbox, 'settings', text)) }
  }
  return {
    readSettings: async (sandbox) => (await read(sandbox)).settings,
    async updateSettings(sandbox, update) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const current = await read(sandbox)
        const { settings, result } = update(current.settings)
        if (settings === current.settings) return result
        const value = settings === undefined ? '' : JSON.stringify(settings)
        const [outcome] = await scripts.run(PUT_FIELD, sandbox, hash('sha1', current.text), 'settings', value)
        if (outcome === 'stored') return result
      }
      throw new StoreUnavailableError(
        'Other requests kept changing the sandbox, so this change was not made; send the request again.',
      )
    },
  }
}
