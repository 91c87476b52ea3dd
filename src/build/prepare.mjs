/**
 * Builds `dist/` after an installation and before `npm start` if a source is newer, or says why it cannot.
 * This file is JavaScript, because it also runs without the development dependencies, which include tsx.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isBuilt } from './is-built.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

if (!isBuilt(root)) {
  if (isInstalled('tsx')) {
    const { status } = spawnSync('npm run --silent build', { shell: true, stdio: 'inherit' })
    process.exitCode = status ?? 1
  } else reportMissingTools()
}

/**
 * Prints why nothing is built. This is no error: an installation succeeds, and `npm start` serves the `dist/` of an
 * earlier build.
 */
function reportMissingTools() {
  const found = existsSync(new URL('../../dist/cli.js', import.meta.url))
    ? 'convsim is not built again, and dist/ stays as it is'
    : 'convsim is not built'
  const reason = 'which npm leaves out with --omit=dev or NODE_ENV=production'
  console.error(`${found}: the build needs the development dependencies, ${reason}. Run: npm ci --include=dev`)
}

/** @param {string} name of a package */
function isInstalled(name) {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}
