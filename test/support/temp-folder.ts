import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Registers a function to run at the end of a test (`onTestFinished`) or test file (see `sharedSimulator`). */
export type OnFinished = (remove: () => Promise<void>) => void

/** Creates an empty folder and schedules its removal with `onFinished`: by default, at the end of the test. */
export async function tempFolder(onFinished: OnFinished = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'convsim-test-'))
  onFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file to a new folder and returns the path of the file. */
export async function tempFile(content: string | Uint8Array, name: string, onFinished?: OnFinished): Promise<string> {
  const file = join(await tempFolder(onFinished), name)
  await writeFile(file, content)
  return file
}
