/** The hashes with the data of a sandbox. A snapshot has a copy of each. */
export const KINDS = ['head', 'events', 'prompts', 'index', 'impact'] as const

/**
 * Returns the prefix of all keys of a sandbox, which is a hash tag. They are:
 *
 * - `head`, a hash: `generation` (of a sandbox with data), `count:events` and other numbers of records, `quality`, and
 *   `settings`, which are not data.
 * - `events`, a hash of events by their place, and `prompts`, a hash of prompts by theirs. The list of its versions is
 *   the last member of a prompt.
 * - `index`, a hash that finds and counts records: `event named JSON` and `prompt named KEY` find one by the caller's
 *   name, `event ID` and `prompt ID` count equal ones (see `Occurrences`), `events PLACE` counts replays,
 *   `prompts PLACE` and `last PROMPT` have the active and the last version, and `place PROMPT` a prompt's place.
 * - `impact`, a hash of sums by product and day.
 * - `snapshots`, a hash of descriptions by id; `taken`, their number so far; the copies are `snapshot:ID:head` etc.
 * - `staged:ID:events` and so on: what an import has written, before it replaces the data.
 * - `probe-hash` and so on, of `default` alone: what a check of health writes and deletes.
 * - The hashes `sequences` and `windows`, with sorted sets of their fields, `sequences-order` and `windows-order`.
 */
export function sandboxKeys(prefix: string, sandbox: string): string {
  return `{${prefix}:${escapeName(sandbox)}}:`
}

export const countField = (collection: string) => `count:${collection}`

export const impactField = (product: string | null, day: string) => JSON.stringify([day, product])

/**
 * Returns the prefix of the keys that belong to no sandbox. They are:
 *
 * - `format`, the mark of the format, and `id`, by which a process notices that Redis was emptied.
 * - `sandboxes`, a sorted set of names in the order of their creation, and `created`, how many there ever were.
 * - `journal`, a stream of all replicas, and `journal-bodies`, a stream of the bodies of exchanges.
 * - `journal-head`, a hash: `id`, unique to this journal, and the numbers of its `messages`, `exchanges` and `bytes`.
 * - `journal-counts`, a hash by sandbox: the number of its first exchange since it was cleared, and the count.
 */
export function sharedKeys(prefix: string): string {
  return `{${prefix}}:`
}

/** Escapes a name by UTF-16 units, so that names with braces or lone surrogates have distinct keys. */
function escapeName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, (unit) => `%${unit.charCodeAt(0).toString(16)};`)
}
