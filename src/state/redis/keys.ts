/**
 * The keys of a sandbox. They share a hash tag, and all but the head are named by the scripts (`lua/`):
 *
 * - `head`, a hash: `segments` (`ID@PLACE ID@PLACE`), `open` (the id of the last one), `count:events` and other numbers
 *   of records, `quality`, `revision` (grows with each change of what is not in a segment), `snapshots-taken`,
 *   `settings`, `records:NAME` (the records of a plain collection), and `settings-version` and `records:NAME-version`.
 * - For each segment, a run of events that ends with a snapshot: hashes `events:ID` (place to event), `places:ID`
 *   (`insertId` to place), `repeats:ID` (equal payloads by the id of their first event), `impact:ID` (sums by product
 *   and day) and `replays:ID` (place to number), and the list `replay-log:ID` of places. A replay counts in the open
 *   segment, so a closed one never changes, and snapshots share it. A deleted snapshot merges those that no other list
 *   tells apart.
 * - The hash `prompts`.
 * - `snapshots`, a sorted set of ids, and for each the hash `snapshot:ID` with fields of the head, and the copy
 *   `snapshot:ID:prompts`.
 * - Hashes `sequences` and `windows`, with sorted sets of their fields, `sequence-order` and `window-order`.
 */
export function sandboxKeys(prefix: string, sandbox: string) {
  const tag = `{${prefix}:${escapeName(sandbox)}}`
  return {
    head: `${tag}:head`,
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
