/** The hashes that contain the data of a sandbox. A snapshot has copies of these hashes. */
export const KINDS = ['head', 'events', 'prompts', 'index', 'impact'] as const

/**
 * Returns the prefix of a sandbox's keys: a hash tag and a colon. The keys are:
 *
 * - `head`, a hash: `generation` (if the sandbox has data or snapshots), the number of records in each collection
 *   (`count:events` etc.), `quality`, and `settings`. Settings do not count as data.
 * - `events`, a hash of events by position, and `prompts`, a hash of prompts by position. The last member of a prompt
 *   is the list of its versions.
 * - `index`, a hash. The fields `event named JSON` and `prompt named KEY` locate a record by the caller's name for it.
 *   `event ID` and `prompt ID` count identical records (see `Occurrences`); `events POSITION` counts replays. For a
 *   prompt, `prompts POSITION` is the active version, `last ID` the number of versions, and `place ID` the position.
 * - `impact`, a hash of sums by product and day.
 * - `snapshots`, a hash of descriptions by ID; `taken`, a counter of snapshots; `snapshot:ID:head` etc., the copies.
 * - `staged:ID:events` etc.: imported data that has not yet replaced the sandbox's data.
 * - `probe-hash` etc., only in the sandbox `default`: keys that a health check writes and deletes.
 * - `sequences` and `windows`, hashes of counters; `sequences-order` and `windows-order`, sorted sets of their fields.
 */
export function sandboxKeys(prefix: string, sandbox: string): string {
  return `{${prefix}:${escapeName(sandbox)}}:`
}

export const countField = (collection: string) => `count:${collection}`

export const impactField = (product: string | null, day: string) => JSON.stringify([day, product])

/**
 * Returns the prefix of the keys that do not belong to a sandbox. The keys are:
 *
 * - `format`, the name of the format of all keys, and `id`, an ID that changes if Redis is emptied.
 * - `sandboxes`, a sorted set of names in order of creation; `created`, a counter for that order and for generations.
 * - `journal`, a stream of messages from all replicas, and `journal-bodies`, a stream of the exchanges' bodies.
 * - `journal-head`, a hash: `id`, unique to this journal, and the counters `messages`, `exchanges` and `bytes`.
 * - `journal-counts`, a hash by sandbox: the first exchange since the last clear, and the number of exchanges since.
 */
export function sharedKeys(prefix: string): string {
  return `{${prefix}}:`
}

/** Escapes a name one UTF-16 code unit at a time, so that names with braces or lone surrogates have distinct keys. */
function escapeName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, (unit) => `%${unit.charCodeAt(0).toString(16)};`)
}
