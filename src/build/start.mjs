/**
 * Serves in this process until npm ends: `npm start`.
 *
 * npm passes SIGINT and SIGTERM only to the shell that it starts. Many shells do not pass them on, so package.json
 * replaces the shell by this process with `exec`; the shell of Windows finds `exec.cmd` under that name. If npm ends
 * without a signal to this process (kill -9; any end of a process on Windows), its parent is gone, and that is
 * watched here.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** The pause between two looks at the parent, milliseconds. */
const watchMs = 500

/**
 * The most times that the command is looked for, and the pause between two looks, milliseconds: a build that ends has
 * no `dist/` for a moment.
 */
const maxLooks = 20
const lookMs = 25

const cli = new URL('../../dist/cli.js', import.meta.url)
const parent = process.ppid

if (await load(maxLooks)) {
  const watch = setInterval(stopWithoutParent, watchMs).unref()
  // The end of npm after a signal is no second one, which would end the server at once.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.once(signal, () => clearInterval(watch))
} else {
  console.error('convsim cannot start: it is not built, and dist/cli.js is missing.')
  process.exitCode = 1
}

/**
 * Runs the command. Returns false if it is missing.
 * @param {number} looks
 * @returns {Promise<boolean>}
 */
async function load(looks) {
  try {
    await import(cli.href)
    return true
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    if (looks === 1) return false
    await sleep(lookMs)
    return load(looks - 1)
  }
}

function stopWithoutParent() {
  // On POSIX an orphan gets another parent; on Windows it keeps the id of the old one.
  if (process.ppid !== parent || !exists(parent)) process.emit('SIGTERM', 'SIGTERM') // which ends the watch, too
}

/** @param {number} pid */
function exists(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
