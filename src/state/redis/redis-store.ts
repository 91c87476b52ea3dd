/**
 * The state data in Redis, shared by several replicas: one log for each sandbox, of which each replica has a copy.
 * `openRedisStore` connects; `redis-committer.ts` appends to the logs, `shared-log.ts` reads them, `scripts.ts` has the steps that are atomic.
 */
import { randomUUID } from 'node:crypto'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import { BaseStore } from '../base-store.ts'
import type { OpenedStore } from '../file/file-store.ts'
import { StateData } from '../memory/state-data.ts'
import type { SharedState } from '../shared-state.ts'
import { StateChecks } from '../state-checks.ts'
import { RedisConnection, type RedisTimeouts } from './connection.ts'
import { sharedKeys } from './keys.ts'
import type { RedisLocation } from './location.ts'
import { RedisCommitter } from './redis-committer.ts'
import { RedisCounters } from './redis-counters.ts'
import { RedisStream } from './redis-stream.ts'
import { SharedLogs } from './shared-log.ts'

/** The options of a store in Redis. */
export interface RedisStoreOptions extends Partial<RedisTimeouts> {
  /** Receives a sentence about each failure in the background. Default: no effect. */
  readonly report?: (problem: string) => void
  /** The least length of a log, in characters, from which on a snapshot replaces it. Default: 1 MiB. */
  readonly snapshotFrom?: number
  /** The largest number of sandboxes of which the process has a copy; others are read when they are used. Default: 1000. */
  readonly copyLimit?: number
}

/** The mark of the format of all keys. It changes with every change of the format, also with that of the state file. */
const FORMAT_MARK = 'convsim state 1'

const DEFAULT_SNAPSHOT_FROM = 1024 * 1024
const DEFAULT_COPY_LIMIT = 1000
const DEFAULT_COMMAND_MS = 2000
const DEFAULT_CONNECT_MS = 5000

/** A store in Redis that is ready for use. */
export interface OpenedRedisStore extends OpenedStore {
  readonly shared: SharedState
  /** Has the figures of appends. */
  readonly committer: RedisCommitter
  readonly connection: RedisConnection
}

/** Opens the store in Redis. Sandboxes are read when they are first used. The error is a sentence with the next step, without the password. */
export async function openRedisStore(
  location: RedisLocation,
  options: RedisStoreOptions = {},
): Promise<Result<OpenedRedisStore>> {
  const { commandMs = DEFAULT_COMMAND_MS, connectMs = DEFAULT_CONNECT_MS } = options
  let onLost = () => {}
  const opened = await RedisConnection.open(location, { commandMs, connectMs }, () => onLost())
  if (!opened.ok) return opened
  const connection = opened.value
  try {
    const fault = await findFormatFault(connection, location)
    if (fault !== undefined) throw new Error(fault)
    const state = new StateData()
    const replicaId = randomUUID()
    const logs = new SharedLogs({
      connection,
      state,
      checks: await StateChecks.load(),
      prefix: location.prefix,
      createId: randomUUID,
      replicaId,
      snapshotFrom: options.snapshotFrom ?? DEFAULT_SNAPSHOT_FROM,
      copyLimit: options.copyLimit ?? DEFAULT_COPY_LIMIT,
      report: options.report ?? (() => {}),
    })
    onLost = () => logs.forgetAll()
    const counters = new RedisCounters(connection, location.prefix)
    const committer = new RedisCommitter({ state, logs, connection, counters, random: Math.random })
    const { length: sandboxes } = await logs.list()
    const warnings = await findWarnings(connection)
    const loaded = { sandboxes, journalEntries: 0, warnings }
    const shared: SharedState = {
      shown: location.shown,
      readRecord: (sandbox) => committer.readShared(sandbox),
      updateRecord: (sandbox, update) => committer.updateShared(sandbox, update),
      listSandboxes: () => logs.list(),
      forget: (sandbox) => logs.forget(sandbox),
      async openStream(size: number) {
        const listener = await RedisConnection.open(location, { commandMs, connectMs }, () => {})
        if (!listener.ok) throw new Error(listener.error)
        const { prefix } = location
        return new RedisStream({ connection, listener: listener.value, prefix, id: replicaId, size })
      },
    }
    return success({ store: new BaseStore(committer), loaded, shared, committer, connection })
  } catch (error) {
    connection.close()
    return failure(`The state in ${location.shown} cannot be used: ${reasonOf(error)}`)
  }
}

/** Warns of a Redis that deletes keys when its memory is full. */
async function findWarnings(connection: RedisConnection): Promise<readonly string[]> {
  const memory = String(await connection.call('info', 'memory'))
  const policy = /maxmemory_policy:(\S+)/.exec(memory)?.[1] ?? 'noeviction'
  if (policy === 'noeviction') return []
  return [
    `Redis has the maxmemory-policy ${policy}, so it may delete parts of the state. Set it to noeviction.`,
  ]
}

/** Marks a new state with its format. Returns a sentence about a state of another format. Undefined: the format is ours. */
async function findFormatFault(
  connection: RedisConnection,
  { prefix }: RedisLocation,
): Promise<string | undefined> {
  const { format } = sharedKeys(prefix)
  await connection.call('set', format, FORMAT_MARK, 'NX')
  const found = await connection.call('get', format)
  if (found === FORMAT_MARK) return undefined
  return `the keys with the prefix "${prefix}" have the format "${String(found)}", and this version knows "${FORMAT_MARK}". Use the version that wrote them, or another prefix (--state-prefix).`
}
