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
import { StoreUnavailableError } from '../store.ts'
import { RedisConnection, type RedisTimeouts } from './connection.ts'
import { isErrorReply } from './error-reply.ts'
import { findFormatFault, findWriteFault } from './format-mark.ts'
import { noteInputs } from './inputs-mark.ts'
import type { RedisLocation } from './location.ts'
import { RedisCommitter } from './redis-committer.ts'
import { RedisCounters } from './redis-counters.ts'
import { DEAD_AFTER_MS, RedisStream } from './redis-stream.ts'
import { SharedLogs } from './shared-log.ts'
import { describeStartFault } from './start-fault.ts'

/** The options of a store in Redis. */
export interface RedisStoreOptions extends Partial<RedisTimeouts> {
  /** Receives a sentence about each failure in the background. Default: no effect. */
  readonly report?: (problem: string) => void
  /** The least length of a log, in characters, from which on a snapshot replaces it. Default: 1 MiB. */
  readonly snapshotFrom?: number
  /** The largest number of sandboxes of which the process has a copy; others are read when they are used. Default: 1000. */
  readonly copyLimit?: number
}

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
    const fault = await findFormatFault(connection, location.prefix)
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
    const findFault = () => findWriteFault(connection, location)
    const random = Math.random
    const committer = new RedisCommitter({ state, logs, connection, counters, random, findFault })
    const { length: sandboxes } = await logs.list()
    const loaded = { sandboxes, journalEntries: 0, warnings: await findWarnings(connection) }
    const shared: SharedState = {
      shown: location.shown,
      readRecord: (sandbox) => committer.readShared(sandbox),
      updateRecord: (sandbox, update) => committer.updateShared(sandbox, update),
      noteInputs: (digest) => noteInputs(connection, location.prefix, digest, DEAD_AFTER_MS),
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
    const cause = error instanceof StoreUnavailableError ? (error.cause ?? error) : error
    if (isErrorReply(cause)) return failure(describeStartFault(cause, location.shown))
    return failure(`The state in ${location.shown} cannot be used: ${reasonOf(cause)}`)
  }
}

/** Warns of a Redis that asks for no password, or deletes keys when its memory is full. */
async function findWarnings(connection: RedisConnection): Promise<readonly string[]> {
  const memory = String(await connection.call('info', 'memory'))
  const policy = /maxmemory_policy:(\S+)/.exec(memory)?.[1] ?? 'noeviction'
  const warning = `Redis has the maxmemory-policy ${policy}, so it may delete parts of the state. Set it to noeviction.`
  return [connection.warning ?? [], policy === 'noeviction' ? [] : warning].flat()
}
