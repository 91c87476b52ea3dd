/**
 * The keys of a sandbox. They share a hash tag, and all but the head are named by the scripts (`lua/`):
 *
 * - `head`, a hash: `segments` (their ids), `open` (the id of the last one), `count:events` and other numbers of
 *   records, `prompt-changes` (their number), `quality`, `records:NAME` (the records of a plain collection),
 *   `snapshots-taken`,
 *   and `settings`.
 * - For each segment, a run of changes that ends with a snapshot, hashes that only grow: `events:ID` (place to event),
 *   `prompts:ID` (place to change of the prompts), `index:ID` (`insertId` and other names to a place or an id),
 *   `sums:ID` (equal payloads by the id of their first event, versions by their prompt), `impact:ID` (sums by product
 *   and day) and `replays:ID` (place to number), and the list `replay-log:ID` of places. A replay counts in the open
 *   segment, so a closed one never changes, and snapshots share it. A deleted snapshot merges those that no other list
 *   tells apart.
 * - `snapshots`, a sorted set of ids, and for each the hash `snapshot:ID` with fields of the head.
 * - Hashes `sequences` and `windows`, with sorted sets of their fields, `sequence-order` and `window-order`.
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
    /** Returns the key of a part of a segment. */
    part: (kind: string, segment: string) => `${tag}:${kind}:${segment}`,
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
    /** A stream: the journal of all replicas. */
    stream: `{${prefix}}:journal`,
    /**
     * A hash: `id`, which tells the journal from one that Redis has lost, and the numbers of its `messages`,
     * `exchanges` and `bytes` of bodies.
     */
    streamHead: `{${prefix}}:journal-head`,
    /** A stream: the bodies of exchanges. */
    streamBodies: `{${prefix}}:journal-bodies`,
    /** A hash for each sandbox: the number of its first exchange since it was cleared, and the count since then. */
    streamCounts: `{${prefix}}:journal-counts`,
    /** The number of sandboxes that were ever created. */
    created: `{${prefix}}:created`,
  }
}

/** Escapes a name by UTF-16 units, so that names with braces, or with lone surrogates, have keys of their own. */
export function escapeName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, (unit) => `%${unit.charCodeAt(0).toString(16)};`)
}
