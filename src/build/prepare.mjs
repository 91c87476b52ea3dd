/**
 * Prepares a checkout for `npm start` and `npm test`: installs the packages if they are missing or older than the lock
 * file, and builds `dist/` if a source is newer. After an installation (the script `prepare`) it only builds.
 * This file is JavaScript with Node's modules alone, because it runs before anything is installed.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { changedAt, isBuilt } from './is-built.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const isInstallation = process.env.npm_lifecycle_event === 'prepare'
const installed = changedAt(root, 'node_modules/.package-lock.json') // npm writes it at the end of an installation

if (!isInstallation && (installed === 0 || installed < changedAt(root, 'package-lock.json'))) {
  // The build and the tests need the development dependencies, also where NODE_ENV or npm's settings omit them.
  run('Installing packages (about 20 s)', 'npm ci --include=dev --no-audit --no-fund --loglevel=error')
}
if (!isBuilt(root)) {
  if (changedAt(root, 'node_modules/tsx') > 0) run('Building dist/ (about 10 s)', 'npm run --silent build')
  else reportMissingTools(changedAt(root, 'dist/cli.js') > 0)
}

/** Runs a command, and ends this process if it fails. */
function run(step, command) {
  console.error(`${step}: ${command}`)
  const { status } = spawnSync(command, { cwd: root, shell: true, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** Prints why nothing is built. An installation succeeds all the same, and `npm start` if there is an earlier build. */
function reportMissingTools(hasBuild) {
  const found = hasBuild ? 'convsim is not built again, and dist/ is unchanged' : 'convsim is not built'
  const reason = 'which npm leaves out with --omit=dev or NODE_ENV=production'
  console.error(`${found}: the build needs the development dependencies, ${reason}. Run: npm ci --include=dev`)
  if (!hasBuild && !isInstallation) process.exitCode = 1
}
