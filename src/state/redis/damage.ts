import { reasonOf } from '../../core/result.ts'
import { StoreReadError } from '../store.ts'

/**
 * Reads a value of Redis. Throws a `StoreReadError` with sandbox and key if it is damaged. The next step is one for Redis, since the sandbox
 * cannot be used by the simulator, not even deleted.
 */
export function readValue<T>(sandbox: string, key: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const all = key.replace(/:[^:]*$/, ':*')
    throw new StoreReadError(
      `The sandbox "${sandbox}" cannot be read: the key ${key} of Redis is damaged (${reasonOf(error)}). Restore it from a backup, or delete all keys ${all}, which empties the sandbox.`,
      { cause: error },
    )
  }
}
