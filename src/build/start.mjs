/**
 * Serves in this process until npm ends: `npm start`.
 *
 * npm passes SIGTERM only to the shell that it starts. Some shells replace themselves by this process; others, such as
 * Debian's, end without passing it on. So this process watches its parent, and stops as on SIGTERM once that is gone.
 * Only `npm start` does this: a server that a script has started in the background outlives the script.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** The pause between two looks at the parent, milliseconds. */
const watchMs = 200

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
  // The end of the parent after a signal is not a second signal, which would end the server at once.
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
