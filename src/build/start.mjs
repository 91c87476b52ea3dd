/**
 * Serves in this process until npm ends: `npm start`.
 *
 * npm sends SIGTERM only to the shell that it starts. Some shells replace themselves with this process; others, such as
 * Debian's, exit without passing it on. So this process watches its parent, and stops as on SIGTERM if that changes.
 * Only `npm start` does this: a server that a script starts in the background outlives the script.
 */
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid !== parent) process.emit('SIGTERM', 'SIGTERM') // also stops watching
}, 200).unref()
// After a signal, the end of the parent does not count as a second signal, which would stop the server at once.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.once(signal, () => clearInterval(watch))
await import(new URL('../../dist/cli.js', import.meta.url).href)
