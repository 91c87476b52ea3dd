import type { Log } from '../../base/core/log.ts'
import { StoreReadError, StoreUnavailableError, StoreWriteError } from '../../state/store.ts'
import { refusals } from './refusals.ts'
import type { Reply } from './reply.ts'

/** Returns the reply to a request that failed because of the store, and logs the reason; undefined for other errors. */
export function replyToStoreError(error: unknown, requestId: string, log: Log): Reply | undefined {
  if (error instanceof StoreUnavailableError) {
    log.warn({ requestId, reason: error.message }, 'the shared state cannot be used')
    return refusals.unavailable(error.message)
  }
  const isWrite = error instanceof StoreWriteError
  if (!isWrite && !(error instanceof StoreReadError)) return undefined
  log.error({ requestId, reason: error.message }, `the state cannot be ${isWrite ? 'written' : 'read'}`)
  return refusals.ownFault(error.message)
}
