/**
 * Serves in this process until npm ends: `npm start`.
 *
 * npm passes SIGTERM only to the shell that it starts. Some shells replace themselves by this process; others, such as
 * Debian's, end without passing it on. So this process watches its parent, and stops as on SIGTERM once it has another.
 * Only `npm start` does this: a server that a script has started in the background outlives the script.
 */
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid !== parent) process.emit('SIGTERM', 'SIGTERM') // which ends the watch, too
}, 200).unref()
// The end of the parent after a signal is not a second signal, which would end the server at once.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.once(signal, () => clearInterval(watch))
await import(new URL('../../dist/cli.js', import.meta.url).href)
