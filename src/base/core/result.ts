/** The value or the error of an operation that can fail. By default, the error is a sentence about the problem. */
export type Result<T, E = string> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

export function failure<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error }
}

/** Combines results into one result with all values, or with the errors of every result that failed. */
export function joinResults<T, E>(results: readonly Result<T, readonly E[]>[]): Result<T[], E[]> {
  const errors = results.flatMap((each) => (each.ok ? [] : each.error))
  return errors.length > 0 ? failure(errors) : success(results.flatMap((each) => (each.ok ? [each.value] : [])))
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
