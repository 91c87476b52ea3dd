/**
 * The expected outcome of an operation that can fail: its value or its error, by default a sentence about the fault.
 * Exceptions are for bugs alone.
 */
export type Result<T, E = string> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

/** Returns the outcome of an operation that failed: `failure('There is no plan "gold".')`. */
export function failure<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error }
}

/** Returns the message of an exception: `ENOSPC: no space left on device, write`. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
