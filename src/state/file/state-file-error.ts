/** The reason for which a state file cannot be used: a part of the sentence that the user reads. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

/** Returns the code of an error of the operating system: `ENOSPC`. Undefined: the error has another origin. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
