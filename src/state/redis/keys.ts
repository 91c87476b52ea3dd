/** The keys of a sandbox. They share a hash tag, so that a cluster has them on one node, where a script can use them together. */
export interface SandboxKeys {
  /** A list: the changes since the snapshot, as JSON. */
  readonly log: string
  /**
   * A hash: `incarnation`; `base`, the number of changes that the snapshot contains; `claimed`, the number that the latest one will contain, which
   * a replica prepares or has stored; `turn` and `turn-ends`, the replica that alone may append until a time of Redis.
   */
  readonly head: string
  /** A string: the sandbox after the first `base` changes. */
  readonly snapshot: string
  /** A string: the replicas that can read their copies without asking, for some milliseconds; see `EXCHANGE`. */
  readonly lease: string
  /** A hash of counts, and a sorted set of its fields in the order of their last use. */
  readonly sequences: string
  readonly sequenceOrder: string
  /** A hash of rate windows, and a sorted set of its fields in the order in which they were opened. */
  readonly windows: string
  readonly windowOrder: string
}

/** Returns the keys of a sandbox. */
export function sandboxKeys(prefix: string, sandbox: string): SandboxKeys {
  const tag = `{${prefix}:${escapeName(sandbox)}}`
  return {
    log: `${tag}:log`,
    head: `${tag}:head`,
    snapshot: `${tag}:snapshot`,
    lease: `${tag}:lease`,
    sequences: `${tag}:sequences`,
    sequenceOrder: `${tag}:sequence-order`,
    windows: `${tag}:windows`,
    windowOrder: `${tag}:window-order`,
  }
}

/** Returns the keys that belong to no sandbox. */
export function sharedKeys(prefix: string) {
  return {
    format: `{${prefix}}:format`,
    /** A string: the digest of the inputs of the replica that started last. */
    inputs: `{${prefix}}:inputs`,
    /** A sorted set: the sandboxes in the order of their creation. */
    sandboxes: `{${prefix}}:sandboxes`,
    /** A stream: what the replicas tell each other, such as the exchanges for the journal; and the weight of all its messages ever. */
    stream: `{${prefix}}:journal`,
    streamEnd: `{${prefix}}:journal-end`,
    /** A string: the id of the stream, which tells it from one that Redis has lost. */
    streamId: `{${prefix}}:journal-id`,
    /** A string for a name: says that its message was appended. */
    appended: (name: string) => `{${prefix}}:journal-has:${escapeName(name)}`,
    /** A channel: the signals between the replicas. */
    signals: `{${prefix}}:signals`,
    /** A sorted set: the ids of the replicas, by the time of Redis at which they were last alive. */
    replicas: `{${prefix}}:replicas`,
    /** The number of sandboxes that were ever created. */
    created: `{${prefix}}:created`,
  }
}

/** Escapes a name by UTF-16 units, so that names with braces, or with lone surrogates, have keys of their own. */
function escapeName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, (unit) => `%${unit.charCodeAt(0).toString(16)};`)
}
