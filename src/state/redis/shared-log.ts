import type { JsonObject } from '../../core/json.ts'
import type { StateChecks } from '../state-checks.ts'
import type { RedisReply, Script } from './connection.ts'
import { readValue } from './damage.ts'
import { type ExchangeMode, type ExchangeOutcome, findUnusedId, OUTCOMES } from './exchange-outcome.ts'
import { type SandboxKeys, sandboxKeys } from './keys.ts'
import type { LogEntry } from './log-entry.ts'
import { formatLine, parseLine } from './log-line.ts'
import { ReadLeases } from './read-leases.ts'
import { NO_COPY, SandboxCopies, type SandboxCopy } from './sandbox-copies.ts'
import { SandboxIndex } from './sandbox-index.ts'
import { EXCHANGE } from './scripts.ts'
import { parseSnapshot } from './snapshot-text.ts'
import { type SnapshotDeps, Snapshots } from './snapshots.ts'

/** Changes that were stored, with their lines, and the lines before them that the copy lacked. */
interface StoredChanges {
  readonly missed: readonly string[]
  readonly entries: readonly LogEntry[]
  readonly lines: readonly string[]
  /** The id of the log that begins with them. Empty: they continue a log. */
  readonly created: string
  readonly mode: ExchangeMode
}

/** The parts that the logs of all sandboxes work with. */
export interface SharedLogDeps extends SnapshotDeps {
  readonly checks: StateChecks
  readonly prefix: string
  /** Returns an id that no other log has. */
  readonly createId: () => string
  /** The id of this process among those that share the state. */
  readonly replicaId: string
  /** The largest number of sandboxes of which the process has a copy. */
  readonly copyLimit: number
}

const exchangeScript: Script = { text: EXCHANGE, keys: 8 }

/**
 * The logs of all sandboxes in Redis, and this process's copies of what they lead to. A copy is of one connection: when the connection is
 * lost, so are all copies, since a Redis that was replaced by another can have lost the end of a log.
 */
export class SharedLogs {
  readonly #deps: SharedLogDeps
  readonly #copies: SandboxCopies
  readonly #keys = new Map<string, SandboxKeys>()
  readonly #snapshots: Snapshots
  readonly #index: SandboxIndex
  readonly leases = new ReadLeases()

  constructor(deps: SharedLogDeps) {
    this.#deps = deps
    this.#copies = new SandboxCopies(deps.copyLimit, (sandbox) => this.forget(sandbox))
    this.#index = new SandboxIndex(deps.connection, deps.prefix)
    this.#snapshots = new Snapshots(deps)
  }

  /** Returns true if the sandbox has a log, as far as the copy knows. */
  has(sandbox: string): boolean {
    return this.#copies.get(sandbox) !== undefined
  }

  /** Returns the record beside the data of a sandbox, as the copy has it. Undefined: there is none. */
  sharedRecord(sandbox: string): JsonObject | undefined {
    return this.#copies.get(sandbox)?.shared
  }

  forgetAll(): void {
    this.leases.endAll()
    for (const sandbox of this.#copies.names) this.forget(sandbox)
  }

  /** Forgets the copy of a sandbox, which the next use reads again. */
  forget(sandbox: string): void {
    this.leases.end(sandbox)
    this.#copies.delete(sandbox)
    this.#keys.delete(sandbox)
    this.#deps.state.replace(sandbox, undefined)
  }

  /** Brings the copy of a sandbox up to date. One that was forgotten meanwhile, to make room for others, is read again. */
  async read(sandbox: string): Promise<void> {
    const before = this.#copies.get(sandbox)
    await this.exchange(sandbox, 'read')
    if (before && !this.#copies.get(sandbox)) await this.exchange(sandbox, 'read')
  }

  /**
   * Changes the log of a sandbox if the copy has all changes of it that they depend on, and applies the changes to the copy. `behind`: nothing was changed, and
   * the copy has the changes now that it lacked; `reserveMs`: for so long no other replica can then append; 0: it can.
   */
  async exchange(
    sandbox: string,
    mode: ExchangeMode,
    entries: readonly LogEntry[] = [],
    reserveMs = 0,
  ): Promise<ExchangeOutcome> {
    const { incarnation, seq } = this.#copies.use(sandbox) ?? NO_COPY
    const isFirst = incarnation === '' && entries.length > 0 && mode !== 'delete'
    const created = isFirst ? this.#deps.createId() : ''
    if (isFirst) await this.#index.add(sandbox, created)
    const lines = entries.map(formatLine)
    const args = [incarnation, seq, created, mode, this.#deps.replicaId, reserveMs, ...lines]
    const [code, ...rest] = await this.#send(sandbox, mode, args)
    const outcome = OUTCOMES.get(code) ?? 'behind'
    const missed = code === 4 ? (rest[0] as string[]) : []
    if (outcome === 'done')
      this.#applyOwn(sandbox, { incarnation, seq }, { missed, entries, lines, created, mode })
    else if (code === 0) this.#applyMissed(sandbox, { incarnation, seq }, rest[0] as string[])
    else if (code === 2) this.#replace(sandbox, rest)
    const unused = findUnusedId(outcome, mode, incarnation, created)
    if (unused !== '') await this.#index.remove(sandbox, unused)
    return outcome
  }

  /** Sends an exchange. A change ends this process's lease, since others may change the sandbox from then on; a read may begin one. */
  async #send(
    sandbox: string,
    mode: ExchangeMode,
    args: readonly (string | number)[],
  ): Promise<readonly RedisReply[]> {
    const keys = this.#keysOf(sandbox)
    const counters = [keys.sequences, keys.sequenceOrder, keys.windows, keys.windowOrder]
    const all = [keys.log, keys.head, keys.snapshot, ...counters, keys.lease]
    const request = mode === 'read' ? this.leases.request(sandbox) : undefined
    if (!request) this.leases.beginChange(sandbox)
    try {
      // Reads and changes wait for the same number of turns, so that replies are applied in their order.
      const reply = (await this.#deps.connection.run(exchangeScript, all, args)) as RedisReply[] // the script returns a list
      if (request && reply[0] === 1 && reply[1] === 1) this.leases.grant(request)
      return reply
    } finally {
      if (!request) this.leases.endChange(sandbox)
    }
  }

  /** Lists the names of the sandboxes that have a log, in the order of their creation, and forgets the copies of all others. */
  async list(): Promise<readonly string[]> {
    const names = await this.#index.list()
    for (const sandbox of this.#copies.names) if (!names.has(sandbox)) this.forget(sandbox)
    return [...names]
  }

  #keysOf(sandbox: string): SandboxKeys {
    let keys = this.#keys.get(sandbox)
    if (keys === undefined) {
      keys = sandboxKeys(this.#deps.prefix, sandbox)
      this.#keys.set(sandbox, keys)
    }
    return keys
  }

  /** Applies the changes that this process has stored behind `known`, and those of others before them. */
  #applyOwn(
    sandbox: string,
    known: Pick<SandboxCopy, 'incarnation' | 'seq'>,
    { missed, entries, lines, created, mode }: StoredChanges,
  ): void {
    if (mode === 'delete') {
      this.forget(sandbox)
      return
    }
    const copy = this.#copies.get(sandbox) ?? { ...NO_COPY }
    if (entries.length === 0) return
    const applied = copy.seq - known.seq // a read brought them before
    const isSameLog = copy.incarnation === (created || known.incarnation)
    if (isSameLog && applied >= missed.length + entries.length) return
    if (copy.incarnation !== known.incarnation || applied < 0 || applied > missed.length) {
      this.forget(sandbox) // the copy was forgotten meanwhile, so it cannot be continued
      return
    }
    const next = created === '' ? copy : { ...copy, incarnation: created }
    this.#copies.set(sandbox, next)
    this.#applyLines(sandbox, next, missed.slice(applied))
    for (const [index, entry] of entries.entries()) this.#apply(next, entry, lines[index] ?? '')
    this.#snapshots.storeIfDue(sandbox, this.#keysOf(sandbox), next)
  }

  /** Applies the changes behind `known`, of which an earlier reply may have brought the first already. */
  #applyMissed(
    sandbox: string,
    known: Pick<SandboxCopy, 'incarnation' | 'seq'>,
    lines: readonly string[],
  ): void {
    const copy = this.#copies.get(sandbox)
    if (copy?.incarnation !== known.incarnation) return
    this.#applyLines(sandbox, copy, lines.slice(copy.seq - known.seq))
  }

  #replace(sandbox: string, [incarnation, base, snapshot, lines]: readonly RedisReply[]): void {
    this.forget(sandbox)
    if (incarnation === '') return
    const text = String(snapshot)
    const copy: SandboxCopy = {
      ...NO_COPY,
      incarnation: String(incarnation),
      seq: Number(base),
      countedFrom: Number(base),
      snapshotLength: text.length,
    }
    if (text !== '') {
      const parse = () => parseSnapshot(sandbox, text, this.#deps.checks)
      const { entry, shared } = readValue(sandbox, this.#keysOf(sandbox).snapshot, parse)
      this.#deps.state.replace(sandbox, entry)
      copy.shared = shared
    }
    this.#copies.set(sandbox, copy) // before the changes, which can be damaged
    this.#applyLines(sandbox, copy, lines as string[])
  }

  #applyLines(sandbox: string, copy: SandboxCopy, lines: readonly string[]): void {
    const { log } = this.#keysOf(sandbox)
    for (const line of lines) readValue(sandbox, log, () => this.#apply(copy, parseLine(line), line))
  }

  #apply(copy: SandboxCopy, entry: LogEntry, line: string): void {
    if (entry.op === 'shared') copy.shared = entry.record ?? undefined
    else this.#deps.state.apply(entry)
    copy.seq += 1
    copy.logLength += line.length
  }
}
