/**
 * Serves in this process until npm ends: `npm start`.
 *
 * npm passes SIGINT and SIGTERM only to the shell that it starts. Many shells do not pass them on, so package.json replaces the shell by
 * this process with `exec`; the shell of Windows finds `exec.cmd` under that name. If npm ends without a signal to this process (kill -9;
 * any end of a process on Windows), its parent is gone, and that is watched here.
 */
import { existsSync } from 'node:fs'

/** The pause between two looks at the parent, milliseconds. */
const watchMs = 500

const cli = new URL('../../dist/cli.js', import.meta.url)
const parent = process.ppid

if (existsSync(cli)) {
  setInterval(stopWithoutParent, watchMs).unref()
  await import(cli.href)
} else {
  console.error('convsim cannot start: it is not built, and dist/cli.js is missing.')
  process.exitCode = 1
}

function stopWithoutParent() {
  // On POSIX an orphan gets another parent; on Windows it keeps the id of the old one.
  if (process.ppid !== parent || !exists(parent)) process.emit('SIGTERM', 'SIGTERM')
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
