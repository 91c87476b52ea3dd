import { writeFile } from 'node:fs/promises'
import { reasonOf } from '../core/result.ts'
import type { RunningSimulator } from '../simulator/start.ts'

/** Writes the bundle of a failed run, and prints its name or why it cannot be written. Returns true if it is written. */
export async function writeBundleFile(
  running: RunningSimulator,
  file: string,
  reasons: readonly string[],
  printError: (line: string, level?: 'error') => void,
): Promise<boolean> {
  try {
    await writeFile(file, running.bundle(reasons))
  } catch (error) {
    printError(`convsim: --bundle ${file}: cannot be written: ${reasonOf(error)}`, 'error')
    return false
  }
  printError(`convsim: the bundle is in ${file}; repeat the run with convsim replay ${file}.`)
  return true
}
