/**
 * Prepares a checkout for `npm start`, `npm test` and `npm pack`: installs the packages if they are missing or older
 * than the lock file, and builds `dist/` if a source is newer. After an installation, runs as `postprepare`, since npm
 * warns users about `prepare`, and only builds. Uses only Node's modules, since packages might not be installed yet.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { changedAt, isBuilt } from './is-built.mjs'

const parent = process.ppid
const root = fileURLToPath(new URL('../..', import.meta.url))
const isInstallation = process.env.npm_lifecycle_event === 'postprepare'
const installed = changedAt(root, 'node_modules/.package-lock.json') // written at the end of an installation

if (!isInstallation && (installed === 0 || installed < changedAt(root, 'package-lock.json'))) {
  // The build and the tests need the development dependencies, which npm omits if NODE_ENV or its settings say so.
  await run('Installing packages (about 20 s)', 'npm ci --include=dev --no-audit --no-fund --loglevel=error')
}
if (!isBuilt(root)) {
  if (changedAt(root, 'node_modules/tsx') > 0) await run('Building dist/ (about 10 s)', 'npm run --silent build')
  else reportMissingTools(changedAt(root, 'dist/cli.js') > 0)
}

/**
 * Runs a command, and exits if it fails. The command has its own process group, which is stopped when npm exits.
 * A signal reaches only npm and its shell, so the command could otherwise disturb a second `npm start` in this folder.
 */
async function run(step, command) {
  console.error(`${step}: ${command}`)
  const child = spawn(command, { cwd: root, shell: true, stdio: ['ignore', 'inherit', 'inherit'], detached: true })
  const stop = () => process.kill(-child.pid, 'SIGTERM')
  const watch = setInterval(() => process.ppid !== parent && stop(), 200)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stop)
  const [code] = await once(child, 'exit')
  clearInterval(watch)
  if (code === 0) return
  if (code !== null) console.error(`"${command}" failed: see above. dist/ is unchanged, and nothing was started.`)
  process.exit(code ?? 1)
}

/** Prints why nothing was built. An installation still succeeds, as does `npm start` if there is an earlier build. */
function reportMissingTools(hasBuild) {
  const outcome = hasBuild ? 'convsim was not rebuilt, and dist/ is unchanged' : 'convsim was not built'
  const reason = 'which npm omits with --omit=dev or NODE_ENV=production'
  console.error(`${outcome}: the build needs the development dependencies, ${reason}. Run: npm ci --include=dev`)
  if (!hasBuild && !isInstallation) process.exitCode = 1
}
