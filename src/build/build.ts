/**
 * The bundle. This script builds `dist/` in a folder of its own, which then takes the place of `dist/`: a process
 * that loads `dist/` finds the old build or the new one, and two builds at once both succeed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, stat, utimes } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createBuildFolder, putInPlace } from './build-folder.ts'
import { writeBundles } from './bundles.ts'
import { writeTypes } from './declarations.ts'
import { STAMP } from './is-built.mjs'
import { root } from './modules.ts'

const folder = await createBuildFolder(root)
const { mtime: begun } = await stat(folder)
try {
  await Promise.all([writeBundles(folder), compileTypes()])
  await utimes(join(folder, STAMP), begun, begun)
  await putInPlace(folder, join(root, 'dist'))
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Writes the declarations of what users import. */
async function compileTypes(): Promise<void> {
  const types = join(folder, 'emitted')
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const args = [compiler, '-p', 'tsconfig.types.json', '--outDir', types]
  const [code] = await once(spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Error('tsc has found errors: see above')
  writeTypes(types, folder)
  await rm(types, { recursive: true })
}
