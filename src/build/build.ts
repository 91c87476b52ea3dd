/**
 * `build/`: builds `dist/`. Works in a temporary folder, which then replaces `dist/`, so that a process that loads
 * `dist/` never finds an incomplete build, and two concurrent builds both succeed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm, stat, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeBundles } from './bundles.ts'
import { writeTypes } from './declarations.ts'
import { STAMP } from './is-built.mjs'
import { root } from './modules.ts'

const dist = join(root, 'dist')
const folder = await mkdtemp(`${dist}.build-`)
const { mtime: startedAt } = await stat(folder)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(1)
  })
try {
  await chmod(folder, 0o755) // so that every user, such as the image's user, can read `dist/`
  const [, hasTypes] = await Promise.all([writeBundles(folder), compileTypes()])
  if (hasTypes) {
    await utimes(join(folder, STAMP), startedAt, startedAt)
    await replaceDist()
  } else process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function compileTypes(): Promise<boolean> {
  const compiler = `tsc -p tsconfig.types.json --outDir ${basename(folder)}/emitted`
  const [code] = await once(spawn(compiler, { cwd: root, shell: true, stdio: 'inherit' }), 'exit')
  if (code !== 0) return false
  writeTypes(join(folder, 'emitted'), folder)
  await rm(join(folder, 'emitted'), { recursive: true })
  return true
}

/** Replaces `dist/`, which is missing for a few microseconds, since Node cannot swap two folders atomically. */
async function replaceDist(): Promise<void> {
  for (let attempt = 1; existsSync(folder); attempt += 1) {
    try {
      if (existsSync(dist)) renameSync(dist, `${folder}-old`)
      renameSync(folder, dist)
    } catch (error) {
      if (attempt === 20) throw error // an earlier failure may be due to another build that replaced `dist/`
    }
    await rm(`${folder}-old`, { recursive: true, force: true })
  }
}
