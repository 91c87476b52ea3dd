/**
 * The expected outcome of something that can fail: its value, or its error. The error is a sentence that says what is wrong,
 * unless `E` says otherwise. What is thrown instead of returned is a bug.
 */
export type Result<T, E = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

/** Returns the outcome of something that went well. */
export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

/** Returns the outcome of something that did not: `failure('There is no plan "gold".')`. */
export function failure<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error }
}

/** Returns what an exception says: `ENOSPC: no space left on device, write`. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
