/**
 * Prepares a checkout for `npm start` and `npm test`: installs the packages if they are missing or older than the lock
 * file, and builds `dist/` if a source is newer. After an installation (the script `prepare`) it only builds.
 * This file is JavaScript with Node's modules alone, because it runs before anything is installed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBuilt } from './is-built.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

if (process.env.npm_lifecycle_event !== 'prepare' && !isInstalled()) {
  // The build and the tests need the development dependencies, also where NODE_ENV or npm's settings omit them.
  run('Installing packages (about 20 s)', 'npm ci --include=dev --no-audit --no-fund --loglevel=error')
}
if (!isBuilt(root)) {
  if (existsSync(join(root, 'node_modules/tsx'))) run('Building dist/ (about 10 s)', 'npm run --silent build')
  else reportMissingTools()
}

/** npm writes the inner lock file at the end of an installation. */
function isInstalled() {
  const [installed, locked] = ['node_modules/.package-lock.json', 'package-lock.json'].map(
    (file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  return installed > 0 && installed >= locked
}

/**
 * Runs a command, and ends this process if it fails.
 * @param {string} step
 * @param {string} command
 */
function run(step, command) {
  console.error(`${step}: ${command}`)
  const { status } = spawnSync(command, { cwd: root, shell: true, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/**
 * Prints why nothing is built. This is not an error: an installation succeeds, and `npm start` serves the `dist/` of an
 * earlier build.
 */
function reportMissingTools() {
  const found = existsSync(join(root, 'dist/cli.js'))
    ? 'convsim is not built again, and dist/ is unchanged'
    : 'convsim is not built'
  const reason = 'which npm leaves out with --omit=dev or NODE_ENV=production'
  console.error(`${found}: the build needs the development dependencies, ${reason}. Run: npm ci --include=dev`)
}
