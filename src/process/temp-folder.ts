import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a temporary folder, which is removed at the end of the process, `host`. Returns its path. */
export async function createTempFolder(purpose: string, host: Pick<NodeJS.Process, 'once'>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), `convsim-${purpose}-`))
  host.once('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}
