import { reasonOf } from '../core/result.ts'
import { writePrivateFile } from '../documents/private-file.ts'

/** Writes the bundle of a failed run, and prints its name or why it cannot be written. Returns true if written. */
export async function writeBundleFile(
  running: { bundle(reasons: readonly string[]): AsyncIterable<string> },
  file: string,
  reasons: readonly string[],
  printError: (line: string, level?: 'error') => void,
): Promise<boolean> {
  try {
    await writePrivateFile(file, running.bundle(reasons))
  } catch (error) {
    printError(`convsim: --bundle ${file}: cannot be written: ${reasonOf(error)}`, 'error')
    return false
  }
  printError(
    `convsim: the bundle is in ${file}; repeat the run with convsim replay ${file}. ` +
      'It has what clients sent but credentials: look there for personal data before you store it.',
  )
  return true
}
