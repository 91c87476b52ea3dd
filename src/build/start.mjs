/**
 * Runs the server for `npm start` in this process until npm exits.
 *
 * npm sends SIGTERM only to the shell that it starts. Some shells replace themselves with this process; others, such as
 * Debian's, exit without forwarding the signal. So this process watches its parent, and treats a change of parent like
 * SIGTERM. Only `npm start` does this, so that a server that a script starts in the background outlives the script.
 */
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid !== parent) process.emit('SIGTERM', 'SIGTERM') // also stops watching
}, 200).unref()
// After a signal, the parent's exit must not count as a second signal, which would stop the server immediately.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.once(signal, () => clearInterval(watch))
await import(new URL('../../dist/cli.js', import.meta.url).href)
