import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new, empty folder that is gone when the test is over. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'convsim-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
