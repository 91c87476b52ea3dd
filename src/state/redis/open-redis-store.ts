import { randomUUID } from 'node:crypto'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import type { OpenedStore } from '../file/file-store.ts'
import type { SharedState } from '../shared-state.ts'
import { StoreUnavailableError } from '../store.ts'
import { RedisConnection, type RedisTimeouts } from './connection.ts'
import { describeStartFault, isErrorReply } from './faults.ts'
import { RedisSettings } from './head-fields.ts'
import { RedisJournalStream } from './journal-stream.ts'
import { sharedKeys } from './keys.ts'
import type { RedisLocation } from './location.ts'
import { RedisCounters } from './redis-counters.ts'
import { listNames } from './redis-snapshots.ts'
import { RedisStore } from './redis-store.ts'
import { SandboxScripts } from './sandbox-scripts.ts'
import { ClockComparison, findFormatFault, findWriteFault, noteInputs } from './server-checks.ts'

/** The options of a store in Redis. */
export interface RedisStoreOptions extends Partial<RedisTimeouts> {
  /** Receives a sentence if the clocks of this machine and of Redis differ. Default: no effect. */
  readonly warn?: (problem: string) => void
  /** Returns the machine's time, epoch milliseconds, for tests. */
  readonly now?: () => number
}

const DEFAULT_COMMAND_MS = 2000
const DEFAULT_CONNECT_MS = 5000

/** A store in Redis that is ready for use. */
export interface OpenedRedisStore extends OpenedStore {
  readonly shared: SharedState
  readonly connection: RedisConnection
}

/**
 * Opens the store in Redis, of which nothing but the number of sandboxes is read. The error is a sentence with the next
 * step, without the password.
 */
export async function openRedisStore(
  location: RedisLocation,
  { commandMs = DEFAULT_COMMAND_MS, connectMs = DEFAULT_CONNECT_MS, warn = () => {}, now }: RedisStoreOptions = {},
): Promise<Result<OpenedRedisStore>> {
  const timeouts = { commandMs, connectMs }
  const opened = await RedisConnection.open(location, timeouts)
  if (!opened.ok) return opened
  const connection = opened.value
  const { prefix, shown } = location
  try {
    const clocks = new ClockComparison(warn, now)
    const { fault, warnings } = await checkServer(connection)
    const present = fault ?? (await findFormatFault(connection, prefix, clocks))
    if (present !== undefined) throw new Error(present)
    const scripts = new SandboxScripts(connection, prefix, randomUUID)
    const store = new RedisStore({
      scripts,
      counters: new RedisCounters(connection, prefix),
      findOutage: async () => connection.outage ?? findWriteFault(connection, location, clocks),
      close: () => connection.finish(),
    })
    const settings = new RedisSettings(scripts)
    const sandboxes = Number(await connection.call('zcard', sharedKeys(prefix).sandboxes))
    const loaded = { sandboxes, journalEntries: 0, warnings }
    const shared: SharedState = {
      shown,
      readRecord: (sandbox) => settings.read(sandbox),
      updateRecord: (sandbox, update) => settings.update(sandbox, update),
      noteInputs: (digest) => noteInputs(connection, prefix, digest),
      listSandboxes: (limit) => listNames(scripts, limit),
      openJournal: (size) => new RedisJournalStream({ connection, prefix, replica: randomUUID(), size }),
    }
    return success({ store, loaded, shared, connection })
  } catch (error) {
    connection.close()
    const cause = error instanceof StoreUnavailableError ? (error.cause ?? error) : error
    if (isErrorReply(cause)) return failure(describeStartFault(cause, shown))
    return failure(`The state in ${shown} cannot be used: ${reasonOf(cause)}`)
  }
}

/** Finds a server that cannot hold a state; warns of one without password, or that evicts keys when full. */
async function checkServer(connection: RedisConnection) {
  const info = String(await connection.call('info'))
  const fault = /^cluster_enabled:1/m.test(info) ? CLUSTER : undefined
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction'
  const warning = `Redis has the maxmemory-policy ${policy}, so it may delete parts of the state. Set it to noeviction.`
  return { fault, warnings: [connection.warning ?? [], policy === 'noeviction' ? [] : warning].flat() }
}

const CLUSTER =
  'that server is a node of a cluster (cluster-enabled yes), and the state needs one server that has all keys. ' +
  'Name a Redis without cluster mode in --state, or set cluster-enabled no.'
