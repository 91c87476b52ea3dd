import { describeSyntaxError, type TextPosition } from '../../core/json-syntax.ts'

/** The reason for which a state file cannot be used: a part of the sentence that the user reads. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

/** Parses JSON that begins at `start` in its file. Throws a `StateFileError` with the place of the fault. */
export function parseStateJson(text: string, start?: TextPosition): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new StateFileError(`is not JSON: ${describeSyntaxError(text, start)}`, { cause: error })
  }
}

/** Returns the code of an error of the operating system, such as `ENOSPC`, or undefined for any other error. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
