/**
 * Serves in this process until npm ends: `npm start`.
 *
 * npm passes SIGTERM only to the shell that it starts. Some shells replace themselves by this process; others, such as
 * Debian's, end without passing it on. So this process watches its parent, and stops as on SIGTERM once it has another.
 * Only `npm start` does this: a server that a script has started in the background outlives the script.
 */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between two looks at the parent, and those in which a build puts `dist/` in place. */
const watchMs = 200

const cli = new URL('../../dist/cli.js', import.meta.url)
const parent = process.ppid

if (!existsSync(cli)) await sleep(watchMs)
if (existsSync(cli)) {
  const watch = setInterval(() => {
    if (process.ppid !== parent) process.emit('SIGTERM', 'SIGTERM') // which ends the watch, too
  }, watchMs).unref()
  // The end of the parent after a signal is not a second signal, which would end the server at once.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.once(signal, () => clearInterval(watch))
  await import(cli.href)
} else {
  console.error('convsim cannot start: it is not built, and dist/cli.js is missing.')
  process.exitCode = 1
}
