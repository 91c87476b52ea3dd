import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import type { OpenedStore } from '../file/file-store.ts'
import type { SharedState } from '../shared-state.ts'
import { StoreUnavailableError } from '../store.ts'
import { RedisConnection, type RedisTimeouts } from './connection.ts'
import { describeStartFault } from './faults.ts'
import { createSettings } from './head-fields.ts'
import { RedisJournalStream } from './journal-stream.ts'
import { sharedKeys } from './keys.ts'
import type { RedisLocation } from './location.ts'
import { createRedisStore, listNames } from './redis-store.ts'
import { SandboxScripts } from './sandbox-scripts.ts'
import { type ClockOptions, createServerChecks } from './server-checks.ts'

/** The options of a store in Redis. */
export interface RedisStoreOptions extends Partial<RedisTimeouts>, ClockOptions {}

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
  { commandMs = DEFAULT_COMMAND_MS, connectMs = DEFAULT_CONNECT_MS, ...clock }: RedisStoreOptions = {},
): Promise<Result<OpenedRedisStore>> {
  const { prefix, shown } = location
  const connecting = RedisConnection.open(location, { commandMs, connectMs })
  try {
    const connection = await connecting
    const { start, findOutage, registerInputs } = createServerChecks(connection, location, clock)
    const warnings = await start()
    const scripts = new SandboxScripts(connection, prefix)
    const store = createRedisStore({ scripts, findOutage, close: () => connection.finish() })
    const sandboxes = Number(await connection.call('zcard', `${sharedKeys(prefix)}sandboxes`))
    const shared: SharedState = {
      shown,
      ...createSettings(scripts),
      registerInputs,
      listSandboxes: (limit) => listNames(connection, prefix, limit),
      openJournal: (size) => new RedisJournalStream({ connection, prefix, replica: scripts.createId(), size }),
    }
    return success({ store, loaded: { sandboxes, journalEntries: 0, warnings }, shared, connection })
  } catch (error) {
    await connecting.then((connection) => connection.close()).catch(() => undefined)
    const isRefused = error instanceof StoreUnavailableError
    return failure(isRefused ? describeStartFault(error.cause, shown) : reasonOf(error))
  }
}
