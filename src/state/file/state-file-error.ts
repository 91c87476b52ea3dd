/** Why a state file cannot be used: a sentence for the person who started us, with the next step. */
export class StateFileError extends Error {
  override readonly name = 'StateFault'
}

/** `ENOSPC`, where it was the system that refused. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
