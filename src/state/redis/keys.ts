/** The hashes with the data of a sandbox, besides its head. A snapshot has a copy of each. */
export const KINDS = ['events', 'prompts', 'index', 'impact'] as const

/**
 * Returns the keys of a sandbox, which share a hash tag. The scripts (`lua/`) name more of them:
 *
 * - `head`, a hash: `generation` (the name of the data, another one after each reset, restore and import),
 *   `count:events` and other numbers of records, `replays` (how many were ever counted), `quality`, `records:NAME` (the
 *   records of a plain collection), `settings`, `records:NAME-version` and `settings-version` (the digest of the
 *   text), `snapshots` (how many there are) and `snapshots-taken`.
 * - `events`, a hash of events by their place, and `prompts`, a hash of the changes of prompts by theirs.
 * - `index`, a hash that finds and counts records: `insertId JSON`, `external KEY` and `version PROMPT VERSION` find
 *   one, `event FIRST` and `prompt FIRST` count equal ones, `replays PLACE` the replays of an event, `versions PROMPT`
 *   the versions, and `active PROMPT` names the active one.
 * - `impact`, a hash of sums by product and day.
 * - `replay-log`, a list of the places of the latest replays, for readings in slices.
 * - `snapshots`, a hash of descriptions by id; `snapshot:ID:head` and so on are the copies.
 * - The hashes `sequences` and `windows`, with sorted sets of their fields, `sequence-order` and `window-order`.
 */
export function sandboxKeys(prefix: string, sandbox: string) {
  const tag = `{${prefix}:${escapeName(sandbox)}}`
  return {
    head: `${tag}:head`,
    snapshots: `${tag}:snapshots`,
    sequences: `${tag}:sequences`,
    sequenceOrder: `${tag}:sequence-order`,
    windows: `${tag}:windows`,
    windowOrder: `${tag}:window-order`,
    /** Returns the key of what an import has written, before it replaces the data. */
    staged: (kind: string, id: string) => `${tag}:staged:${id}:${kind}`,
  }
}

/** Returns the field of the head that has the number of records of a collection. */
export const countField = (collection: string) => `count:${collection}`

/** Returns the field of the head that has the records of a plain collection. */
export const recordsField = (collection: string) => `records:${collection}`

/** Returns the keys that belong to no sandbox. */
export function sharedKeys(prefix: string) {
  return {
    format: `{${prefix}}:format`,
    /** A string: the digest of the inputs of the replica that started last. */
    inputs: `{${prefix}}:inputs`,
    /** A sorted set: the sandboxes in the order of their creation. */
    sandboxes: `{${prefix}}:sandboxes`,
    /** The number of sandboxes that were ever created. */
    created: `{${prefix}}:created`,
    /** A stream: the journal of all replicas. */
    stream: `{${prefix}}:journal`,
    /** A hash: `id`, which tells the journal from a lost one, and the numbers of `messages`, `exchanges` and `bytes`. */
    streamHead: `{${prefix}}:journal-head`,
    /** A stream: the bodies of exchanges. */
    streamBodies: `{${prefix}}:journal-bodies`,
    /** A hash for each sandbox: the number of its first exchange since it was cleared, and the count since then. */
    streamCounts: `{${prefix}}:journal-counts`,
  }
}

/** Escapes a name by UTF-16 units, so that names with braces, or with lone surrogates, have keys of their own. */
export function escapeName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, (unit) => `%${unit.charCodeAt(0).toString(16)};`)
}
