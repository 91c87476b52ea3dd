import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder of this process. */
export interface TempFolder {
  readonly path: string
  /** Removes the folder with its files. */
  remove(): Promise<void>
}

/** Creates a temporary folder, which is removed at the end of the process, `host`, if not before. */
export async function createTempFolder(
  purpose: string,
  host: Pick<NodeJS.Process, 'once' | 'off'>,
): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), `convsim-${purpose}-`))
  const removeAtExit = () => rmSync(path, { recursive: true, force: true })
  host.once('exit', removeAtExit)
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true })
      host.off('exit', removeAtExit)
    },
  }
}
