import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFileWatcher } from '../../../src/server/simulator/reload.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** Watches the listed files until the end of the test, and returns a list to which each change is added. */
async function watch(listFiles: () => readonly string[]): Promise<(readonly string[])[]> {
  const changes: (readonly string[])[] = []
  const stopping = new AbortController()
  const watchFiles = await createFileWatcher(listFiles)
  const done = watchFiles(stopping.signal, async (changed) => {
    changes.push(changed)
  })
  onTestFinished(() => {
    stopping.abort()
    return done
  })
  return changes
}

const expectChanges = (changes: unknown, expected: unknown) =>
  vi.waitFor(() => expect(changes).toEqual(expected), { timeout: 30_000, interval: 20 })

test('a file counts as changed if a symbolic link in its path is replaced, as in Kubernetes ConfigMaps', async () => {
  const folder = await tempFolder()
  for (const name of ['v1', 'v2']) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'contract.yaml'), name)
  }
  await symlink('v1', join(folder, '..data'))
  const file = join(folder, 'contract.yaml')
  await symlink('..data/contract.yaml', file)
  const changes = await watch(() => [file])
  await symlink('v2', join(folder, '..tmp'))
  await rename(join(folder, '..tmp'), join(folder, '..data'))
  await rm(join(folder, 'v1'), { recursive: true })
  await expectChanges(changes, [[file]])
})

test('a replacement during which a file is briefly missing counts as one change, and so does a removal', async () => {
  const file = join(await tempFolder(), 'contract.yaml')
  await writeFile(file, 'a')
  const changes = await watch(() => [file])
  await unlink(file)
  await new Promise((resolve) => setTimeout(resolve, 300))
  await writeFile(file, 'b')
  await expectChanges(changes, [[file]])
  await unlink(file)
  await expectChanges(changes, [[file], [file]])
})
