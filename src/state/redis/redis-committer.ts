import type { JsonObject } from '../../core/json.ts'
import { nextTurn, sleep } from '../../core/timers.ts'
import type { Command, Decision } from '../commands.ts'
import type { Committer } from '../committer.ts'
import type { StateData } from '../memory/state-data.ts'
import { type SandboxSummary, StoreUnavailableError } from '../store.ts'
import { conflictKey } from './conflict-key.ts'
import type { RedisConnection } from './connection.ts'
import type { ExchangeMode, ExchangeOutcome } from './exchange-outcome.ts'
import type { LogEntry } from './log-entry.ts'
import type { RedisCounters } from './redis-counters.ts'
import { Refresher } from './refresher.ts'
import type { SharedLogs } from './shared-log.ts'
import { summarizeSandboxes } from './summarize-sandboxes.ts'
import { Tries } from './tries.ts'

/** A decision about the log of a sandbox. */
type LogDecision = Omit<Decision<unknown>, 'change'> & { readonly change?: LogEntry }

/** A command that waits for its turn. */
interface PendingCommand {
  readonly decide: () => LogDecision
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A command with the decision to store. */
interface Decided {
  readonly command: PendingCommand
  readonly decision: LogDecision
}

/** The refusal of a change for which all tries were in vain. */
const GIVEN_UP = 'Other replicas kept changing the sandbox, so this change was given up; send it again.'

/** The largest number of changes that are appended at once: Redis does nothing else meanwhile. */
const MAX_BATCH = 256

/** The largest number of commands of one sandbox that wait for their turn. */
const MAX_WAITING = 10_000

/** The parts that the committer works with. */
export interface RedisCommitterDeps {
  readonly state: StateData
  readonly logs: SharedLogs
  readonly connection: RedisConnection
  readonly counters: RedisCounters
  /** Returns a number from 0 to 1, which is not derived: replicas that derived the same back-off would meet again. */
  readonly random: () => number
  /** Finds why Redis takes no changes at present; undefined: it takes them. */
  readonly findFault: () => Promise<string | undefined>
}

/**
 * A committer over the logs in Redis. The commands of a sandbox take turns: those that do not depend on each other are decided together on
 * the copy, and appended in one round trip, unless they depend on a change that another replica has appended meanwhile; then all are decided again.
 */
export class RedisCommitter implements Committer {
  readonly state: StateData
  readonly counters: RedisCounters
  readonly #deps: RedisCommitterDeps
  readonly #queues = new Map<string, PendingCommand[]>()
  readonly #refresher: Refresher
  #appends = 0
  #repeated = 0
  #isClosed = false

  constructor(deps: RedisCommitterDeps) {
    this.#deps = deps
    this.#refresher = new Refresher((sandbox) => deps.logs.read(sandbox), deps.logs.leases)
    this.state = deps.state
    this.counters = deps.counters
  }

  /** The numbers of appends, and of those that had to be decided again. */
  get contention(): { readonly appends: number; readonly repeated: number } {
    return { appends: this.#appends, repeated: this.#repeated }
  }

  commit<T>(sandbox: string, command: Command<T>): Promise<T> {
    return this.#enqueue(sandbox, () => command(this.state)) as Promise<T> // the decision's result
  }

  /** Replaces the record beside the data of a sandbox by the one that `update` returns. Undefined: there is none. */
  updateShared<T>(
    sandbox: string,
    update: (record: JsonObject | undefined) => {
      readonly record?: JsonObject | undefined
      readonly result: T
    },
  ): Promise<T> {
    const decide = (): LogDecision => {
      const present = this.#deps.logs.sharedRecord(sandbox)
      const { record, result } = update(present)
      if (record === present) return { result }
      return { change: { sandbox, op: 'shared', record: record ?? null }, result }
    }
    return this.#enqueue(sandbox, decide) as Promise<T> // the update's result
  }

  #enqueue(sandbox: string, decide: () => LogDecision): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Error('The state is closed.'))
    const queue = this.#queues.get(sandbox) ?? []
    if (queue.length >= MAX_WAITING)
      return Promise.reject(new StoreUnavailableError('Too many changes wait for the shared state.'))
    return new Promise((resolve, reject) => {
      queue.push({ decide, resolve, reject })
      if (this.#queues.has(sandbox)) return
      this.#queues.set(sandbox, queue)
      void this.#work(sandbox, queue)
    })
  }

  /** Carries out the commands of a sandbox until none waits. It does not reject. */
  async #work(sandbox: string, queue: PendingCommand[]): Promise<void> {
    await nextTurn() // so that the commands of this turn share a round trip
    while (queue.length > 0) {
      try {
        await this.#commitSome(sandbox, queue)
      } catch (error) {
        for (const { reject } of queue.splice(0)) reject(error)
      }
    }
    this.#queues.delete(sandbox)
  }

  /** Commits the first commands of the queue. */
  async #commitSome(sandbox: string, queue: PendingCommand[]): Promise<void> {
    const tries = new Tries(this.#deps.random)
    while (!tries.areOver) {
      tries.begin()
      const batch = this.#decideSome(queue)
      const outcome = await this.#append(sandbox, batch, tries.reserveMs)
      if (outcome === 'done') {
        queue.splice(0, batch.length)
        for (const { command, decision } of batch) command.resolve(decision.result)
        return
      }
      const pauseMs = tries.fail(outcome)
      if (pauseMs > 0) await sleep(pauseMs)
      this.#repeated += 1
    }
    queue.shift()?.reject(new StoreUnavailableError(GIVEN_UP))
  }

  /** Appends the changes of a batch, unless they depend on one that the copy lacks; if they do, the log is reserved for `reserveMs`. */
  async #append(sandbox: string, batch: readonly Decided[], reserveMs: number): Promise<ExchangeOutcome> {
    if (batch.length === 0) return 'done'
    this.#appends += 1
    const entries = batch.flatMap(({ decision }) => decision.change ?? [])
    return this.#deps.logs.exchange(sandbox, modeOf(batch), entries, reserveMs)
  }

  /** Decides the first commands, up to one that depends on an earlier one. A command that throws is taken out and rejected. */
  #decideSome(queue: PendingCommand[]): Decided[] {
    const batch: Decided[] = []
    const names = new Set<string>()
    while (batch.length < Math.min(queue.length, MAX_BATCH)) {
      const command = queue[batch.length]
      if (command === undefined) break
      const decision = decide(command)
      if (decision === undefined) {
        queue.splice(batch.length, 1)
        continue
      }
      const name = nameOf(decision)
      if (batch.length > 0 && (name === undefined || names.has(name))) break
      batch.push({ command, decision })
      if (name === undefined) break
      names.add(name)
    }
    return batch
  }

  refresh(sandbox: string): Promise<void> | undefined {
    return this.#refresher.refresh(sandbox)
  }

  isStored(sandbox: string): boolean {
    return this.#deps.logs.has(sandbox)
  }

  async listSandboxes(): Promise<readonly SandboxSummary[]> {
    return summarizeSandboxes(await this.#deps.logs.list(), this.state, this.#refresher)
  }

  /** Reads the record beside the data of a sandbox. Undefined: there is none. */
  readShared(sandbox: string): JsonObject | undefined | Promise<JsonObject | undefined> {
    const { logs } = this.#deps
    const refreshed = this.#refresher.refresh(sandbox)
    return refreshed ? refreshed.then(() => logs.sharedRecord(sandbox)) : logs.sharedRecord(sandbox)
  }

  async findOutage(): Promise<string | undefined> {
    return this.#deps.connection.outage ?? this.#deps.findFault()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    while (this.#queues.size > 0) await sleep(1)
    this.#deps.connection.close()
  }
}

function decide({ decide, reject }: PendingCommand): LogDecision | undefined {
  try {
    return decide()
  } catch (error) {
    reject(error)
    return undefined
  }
}

/** Returns the name by which a decision can share a round trip with others. Undefined: it is stored alone. */
function nameOf({ change, discards }: LogDecision): string | undefined {
  return change === undefined || discards !== undefined ? undefined : conflictKey(change)
}

function modeOf([first]: readonly Decided[]): ExchangeMode {
  const { change, discards } = first?.decision ?? {}
  if (discards === 'sandbox') return 'delete'
  if (discards === 'counters') return 'discard'
  return change === undefined ? 'read' : 'append'
}
