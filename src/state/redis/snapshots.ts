import type { StateData } from '../memory/state-data.ts'
import type { RedisConnection, Script } from './connection.ts'
import type { SandboxKeys } from './keys.ts'
import type { SandboxCopy } from './sandbox-copies.ts'
import { CLAIM_SNAPSHOT, STORE_SNAPSHOT } from './scripts.ts'
import { serializeSnapshot } from './snapshot-text.ts'

const claimScript: Script = { text: CLAIM_SNAPSHOT, keys: 2 }
const storeScript: Script = { text: STORE_SNAPSHOT, keys: 3 }

/** The parts that snapshots work with. */
export interface SnapshotDeps {
  readonly connection: RedisConnection
  readonly state: StateData
  /** The least length of a log, in characters, from which on a snapshot replaces it. */
  readonly snapshotFrom: number
  /** Receives a sentence about each failure in the background. */
  readonly report: (problem: string) => void
}

/**
 * Replaces long logs by snapshots. A log that has grown as long as the last snapshot gets the next one, so its cost is a constant part of each
 * change. Of the replicas that see this at about the same time one stores it.
 */
export class Snapshots {
  readonly #deps: SnapshotDeps
  /** The sandboxes of which this process stores a snapshot. */
  readonly #storing = new Set<string>()

  constructor(deps: SnapshotDeps) {
    this.#deps = deps
  }

  /** Begins a snapshot if the log is long enough. */
  storeIfDue(sandbox: string, keys: SandboxKeys, copy: SandboxCopy): void {
    const from = Math.max(this.#deps.snapshotFrom, copy.snapshotLength)
    if (copy.logLength < from || this.#storing.has(sandbox)) return
    this.#storing.add(sandbox)
    this.#store(sandbox, keys, copy)
      .catch((error: unknown) =>
        this.#deps.report(
          `A snapshot of a sandbox could not be stored (${String(error)}). No change is lost.`,
        ),
      )
      .finally(() => this.#storing.delete(sandbox))
  }

  async #store(sandbox: string, { log, head, snapshot }: SandboxKeys, copy: SandboxCopy): Promise<void> {
    const { state, connection } = this.#deps
    const { incarnation, seq, countedFrom, logLength, shared } = copy
    const entry = state.sandboxes.get(sandbox)
    const contents = { entry: entry && { ...entry, data: entry.data.copy() }, shared }
    const known = await connection.run(claimScript, [head, snapshot], [incarnation, countedFrom, seq])
    const isClaimed = known === -1
    const text = isClaimed ? await serializeSnapshot(sandbox, contents) : ''
    if (isClaimed) await connection.run(storeScript, [log, head, snapshot], [incarnation, seq, text])
    copy.countedFrom = seq
    copy.logLength -= logLength
    copy.snapshotLength = isClaimed ? text.length : Number(known)
  }
}
