import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Does work with a temporary folder, which is removed afterwards, or if the process, `host`, ends before. */
export async function withTempFolder<T>(
  purpose: string,
  host: Pick<NodeJS.Process, 'once' | 'off'>,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), `convsim-${purpose}-`))
  const remove = () => rmSync(path, { recursive: true, force: true })
  host.once('exit', remove)
  try {
    return await work(path)
  } finally {
    host.off('exit', remove)
    remove()
  }
}
