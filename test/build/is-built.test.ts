import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isBuilt } from '../../src/build/is-built.mjs'
import { tempFolder } from '../support/temp-folder.ts'

/** Creates a checkout in which the sources are older than `dist/`, and returns its folder. */
async function createCheckout(): Promise<string> {
  const root = await tempFolder()
  await mkdir(join(root, 'src/base/core'), { recursive: true })
  await mkdir(join(root, 'dist'))
  const [file, other] = [join(root, 'src/base/core/json.ts'), join(root, 'src/base/core/log.ts')]
  for (const path of [file, other, join(root, 'dist/index.d.cts')]) await writeFile(path, '')
  const folders = ['src/base/core', 'src/base', 'src'].map((folder) => join(root, folder))
  for (const path of [file, other, ...folders]) await utimes(path, 1000, 1000)
  return root
}

test('no build is needed if nothing has changed since the last build', async () => {
  expect(isBuilt(await createCheckout())).toBe(true)
})

test.each<[string, (root: string) => Promise<void>]>([
  ['dist/ does not exist', (root) => rm(join(root, 'dist'), { recursive: true })],
  ['a source file has changed', (root) => utimes(join(root, 'src/base/core/json.ts'), 9e9, 9e9)],
  ['a source file has been removed', (root) => removeAfterBuild(root, 'src/base/core/log.ts')],
  [
    'package.json has changed',
    async (root) => {
      await writeFile(join(root, 'package.json'), '{}')
      await utimes(join(root, 'package.json'), 9e9, 9e9)
    },
  ],
])('a build is needed if %s', async (_change, change) => {
  const root = await createCheckout()
  await change(root)
  expect(isBuilt(root)).toBe(false)
})

/** Dates the build after the sources but in the past, then removes a file, which updates its folder's mtime. */
async function removeAfterBuild(root: string, file: string): Promise<void> {
  await utimes(join(root, 'dist/index.d.cts'), 2000, 2000)
  await rm(join(root, file))
}
