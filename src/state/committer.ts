import type { Command } from './commands.ts'
import type { StateData } from './memory/state-data.ts'
import type { RateResult, SandboxSummary } from './store.ts'

/** Rate windows and sequences, in this process or in a shared store. `Store` describes the methods. */
export interface CounterPort {
  consumeRate(
    sandbox: string,
    key: string,
    limit: number,
    windowMs: number,
    now: number,
  ): RateResult | Promise<RateResult>
  nextSequenceIndex(sandbox: string, key: string): number | Promise<number>
  sequenceCounts(sandbox: string): ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>
  /** Discards the counters of a sandbox. */
  reset(sandbox: string): void
  /** Returns counters that continue from these and advance apart from them. */
  copy(): CounterPort
}

/** Makes a committed change durable; the part that differs between adapters. */
export interface Committer {
  /** The state with all stored changes, and no others whenever a caller can read it. */
  readonly state: StateData
  /**
   * Decides, stores and applies a command, which reads and changes one sandbox only. Rejects, the state unchanged, if the change
   * cannot be stored. A command can be called several times, if another process was faster.
   */
  commit<T>(sandbox: string, command: Command<T>): Promise<T>
  /**
   * Adds the changes of a sandbox by other processes to the state. Returns nothing where the state is known to have them. Absent: there
   * are none.
   */
  refresh?(sandbox: string): Promise<void> | undefined
  /** Returns true if anything of a sandbox is stored, settings without data included, as a command meets it. Absent: the state has all. */
  isStored?(sandbox: string): boolean
  /** Lists the sandboxes of all processes that hold data, in the order of their first write. Absent: the state has them all. */
  listSandboxes?(): Promise<readonly SandboxSummary[]>
  /** The counters of all processes, which `commit` discards where a decision says so. Absent: the process has its own. */
  readonly counters?: CounterPort
  /** See `Store`. Absent: no write is refused for good. */
  findLoss?(): Promise<string | undefined>
  /** See `Store`. Absent: the state can always be used. */
  findOutage?(): Promise<string | undefined>
  close(): Promise<void>
}
