/**
 * Builds `dist/` after an installation and before `npm start`, or says why it cannot.
 * This file is JavaScript, because it also runs without the development dependencies, which include tsx.
 */
import { spawnSync } from 'node:child_process'

const problem =
  'convsim is not built: the build needs the development dependencies, which npm leaves out with --omit=dev or NODE_ENV=production. Run: npm ci --include=dev'

if (isInstalled('tsx')) {
  const { status } = spawnSync('npm run --silent build', { shell: true, stdio: 'inherit' })
  process.exitCode = status ?? 1
} else {
  // Not an error of the installation: whoever has a `dist/` already needs no build, and `npm start` serves it.
  console.error(problem)
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
