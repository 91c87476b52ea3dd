import { reasonOf } from '../../core/result.ts'
import { StoreReadError } from '../store.ts'
import type { RedisReply } from './connection.ts'

/**
 * Parses JSON that this store has written. Throws a `StoreReadError` with the sandbox and the kind of record if it is
 * damaged. The next step is one for Redis, since the simulator cannot mend it.
 */
export function readJson<T>(sandbox: string, kind: string, text: RedisReply | undefined): T {
  try {
    return JSON.parse(String(text ?? ''))
  } catch (error) {
    throw new StoreReadError(
      `The sandbox "${sandbox}" cannot be read: its ${kind} in Redis are damaged (${reasonOf(error)}). Restore Redis from a backup, or delete the sandbox (DELETE /__sim/sandboxes/NAME).`,
      { cause: error },
    )
  }
}
