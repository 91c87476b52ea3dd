import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** How to be told that something is over: of a test, with `onTestFinished`, or of a file, with what `sharedSimulator` gives. */
export type WhenOver = (remove: () => Promise<void>) => void

/** A new, empty folder that is gone when the test is over. */
export async function tempFolder(whenOver: WhenOver = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'convsim-test-'))
  whenOver(() => rm(folder, { recursive: true, force: true }))
  return folder
}
