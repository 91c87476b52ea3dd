import type { JsonObject } from '../../core/json.ts'
import type { Change, StateData } from '../memory/state-data.ts'
import type { StateChecks } from '../state-checks.ts'
import type { RedisConnection, RedisReply, Script } from './connection.ts'
import { type SandboxKeys, sandboxKeys, sharedKeys } from './keys.ts'
import { EXCHANGE, LIST_SANDBOX, STORE_SNAPSHOT } from './scripts.ts'
import { parseSnapshot, serializeSnapshot } from './snapshot-text.ts'

/** A change of the record beside the data of a sandbox. Null: the record is removed. */
interface SharedRecordChange {
  readonly sandbox: string
  readonly op: 'shared'
  readonly record: JsonObject | null
}

/** An entry of the log of a sandbox. */
export type LogEntry = Change | SharedRecordChange

/** The effect of an exchange with the log: see `EXCHANGE`. */
export type ExchangeMode = 'read' | 'append' | 'discard' | 'delete'

/** This process's copy of a sandbox, without its data, which `StateData` has. */
interface Copy {
  /** The id of the log, which a deleted sandbox loses. Empty: there is no log. */
  readonly incarnation: string
  /** The number of changes that the copy contains. */
  seq: number
  /** The number of characters of the changes since the snapshot, and of the snapshot. */
  logLength: number
  snapshotLength: number
  shared: JsonObject | undefined
}

/** Changes that were stored, with their JSON. */
interface StoredChanges {
  readonly entries: readonly LogEntry[]
  readonly lines: readonly string[]
  /** The id of the log that begins with them. Empty: they continue a log. */
  readonly created: string
}

const NO_COPY: Readonly<Copy> = {
  incarnation: '',
  seq: 0,
  logLength: 0,
  snapshotLength: 0,
  shared: undefined,
}

/** The parts that the logs of all sandboxes work with. */
export interface SharedLogDeps {
  readonly connection: RedisConnection
  readonly state: StateData
  readonly checks: StateChecks
  readonly prefix: string
  /** Returns an id that no other log has. */
  readonly createId: () => string
  /** The least length of a log, in characters, from which on a snapshot replaces it. */
  readonly snapshotFrom: number
  /** Receives a sentence about each failure in the background. */
  readonly report: (problem: string) => void
}

const exchangeScript: Script = { text: EXCHANGE, keys: 7 }
const snapshotScript: Script = { text: STORE_SNAPSHOT, keys: 3 }
const listScript: Script = { text: LIST_SANDBOX, keys: 2 }

/**
 * The logs of all sandboxes in Redis, and this process's copies of what they lead to. A copy is of one connection: when the connection is
 * lost, so are all copies, since a Redis that was replaced by another can have lost the end of a log.
 */
export class SharedLogs {
  readonly #deps: SharedLogDeps
  readonly #copies = new Map<string, Copy>()
  readonly #keys = new Map<string, SandboxKeys>()
  readonly #snapshots = new Set<string>()

  constructor(deps: SharedLogDeps) {
    this.#deps = deps
  }

  /** Returns the record beside the data of a sandbox, as the copy has it. Undefined: there is none. */
  sharedRecord(sandbox: string): JsonObject | undefined {
    return this.#copies.get(sandbox)?.shared
  }

  /** Forgets all copies. */
  forgetAll(): void {
    for (const sandbox of [...this.#copies.keys()]) this.forget(sandbox)
  }

  /** Forgets the copy of a sandbox, which the next use reads again. */
  forget(sandbox: string): void {
    this.#copies.delete(sandbox)
    this.#keys.delete(sandbox)
    this.#deps.state.replace(sandbox, undefined)
  }

  /**
   * Changes the log of a sandbox if the copy has all changes of it, and applies the changes to the copy. False: the copy lacked changes;
   * nothing was changed, and the copy has them now.
   */
  async exchange(sandbox: string, mode: ExchangeMode, entries: readonly LogEntry[] = []): Promise<boolean> {
    const known = this.#copies.get(sandbox) ?? NO_COPY
    const { incarnation, seq } = known
    const isFirst = incarnation === '' && entries.length > 0 && mode !== 'delete'
    const created = isFirst ? this.#deps.createId() : ''
    if (isFirst) await this.#list(sandbox, created)
    const lines = entries.map((entry) => JSON.stringify(entry))
    const args = [incarnation, seq, created, mode, ...lines]
    const [outcome, ...rest] = await this.#send(sandbox, args)
    if (outcome !== 1) {
      if (outcome === 0) this.#applyMissed(sandbox, { incarnation, seq }, rest[0] as string[])
      else this.#replace(sandbox, rest)
      if (isFirst) await this.#unlist(sandbox, created)
      return false
    }
    if (mode === 'delete') await this.#forgetDeleted(sandbox, incarnation)
    else this.#applyOwn(sandbox, { incarnation, seq }, { entries, lines, created })
    return true
  }

  async #send(sandbox: string, args: readonly (string | number)[]): Promise<readonly RedisReply[]> {
    const keys = this.#keysOf(sandbox)
    const counters = [keys.sequences, keys.sequenceOrder, keys.windows, keys.windowOrder]
    const all = [keys.log, keys.head, keys.snapshot, ...counters]
    return (await this.#deps.connection.run(exchangeScript, all, args)) as RedisReply[] // the script returns a list
  }

  async #forgetDeleted(sandbox: string, incarnation: string): Promise<void> {
    this.forget(sandbox)
    if (incarnation !== '') await this.#unlist(sandbox, incarnation)
  }

  /** Lists the names of the sandboxes that have a log, in the order of their creation. */
  async list(): Promise<readonly string[]> {
    const { connection, prefix } = this.#deps
    const members = (await connection.call('zrange', sharedKeys(prefix).sandboxes, 0, -1)) as string[]
    const names = new Set(members.map((member) => parseName(member.slice(member.indexOf(' ') + 1))))
    for (const sandbox of [...this.#copies.keys()]) if (!names.has(sandbox)) this.forget(sandbox) // it was deleted
    return [...names]
  }

  /** Lists a sandbox before its log begins, so that no log is unknown if this process ends in between. */
  async #list(sandbox: string, incarnation: string): Promise<void> {
    const { sandboxes, created } = sharedKeys(this.#deps.prefix)
    await this.#deps.connection.run(listScript, [sandboxes, created], [listed(sandbox, incarnation)])
  }

  async #unlist(sandbox: string, incarnation: string): Promise<void> {
    const { connection, prefix } = this.#deps
    await connection.call('zrem', sharedKeys(prefix).sandboxes, listed(sandbox, incarnation))
  }

  #keysOf(sandbox: string): SandboxKeys {
    let keys = this.#keys.get(sandbox)
    if (keys === undefined) {
      keys = sandboxKeys(this.#deps.prefix, sandbox)
      this.#keys.set(sandbox, keys)
    }
    return keys
  }

  /** Applies the changes that this process has stored behind `known`. */
  #applyOwn(
    sandbox: string,
    known: Pick<Copy, 'incarnation' | 'seq'>,
    { entries, lines, created }: StoredChanges,
  ): void {
    const copy = this.#copies.get(sandbox) ?? { ...NO_COPY }
    if (entries.length === 0) return
    if (copy.incarnation !== known.incarnation || copy.seq !== known.seq) {
      this.forget(sandbox) // the copy was forgotten meanwhile, so it cannot be continued
      return
    }
    const next = created === '' ? copy : { ...copy, incarnation: created }
    this.#copies.set(sandbox, next)
    for (const [index, entry] of entries.entries()) this.#apply(next, entry, lines[index] ?? '')
    this.#storeSnapshotIfDue(sandbox, next)
  }

  /** Applies the changes behind `known`, of which an earlier reply may have brought the first already. */
  #applyMissed(sandbox: string, known: Pick<Copy, 'incarnation' | 'seq'>, lines: readonly string[]): void {
    const copy = this.#copies.get(sandbox)
    if (copy?.incarnation !== known.incarnation) return
    for (const line of lines.slice(copy.seq - known.seq)) this.#apply(copy, JSON.parse(line), line)
  }

  #replace(sandbox: string, [incarnation, base, snapshot, lines]: readonly RedisReply[]): void {
    this.forget(sandbox)
    if (incarnation === '') return
    const text = String(snapshot)
    const copy: Copy = {
      ...NO_COPY,
      incarnation: String(incarnation),
      seq: Number(base),
      snapshotLength: text.length,
    }
    if (text !== '') {
      const { entry, shared } = parseSnapshot(sandbox, text, this.#deps.checks)
      this.#deps.state.replace(sandbox, entry)
      copy.shared = shared
    }
    for (const line of lines as string[]) this.#apply(copy, JSON.parse(line), line)
    this.#copies.set(sandbox, copy)
  }

  #apply(copy: Copy, entry: LogEntry, line: string): void {
    if (entry.op === 'shared') copy.shared = entry.record ?? undefined
    else this.#deps.state.apply(entry)
    copy.seq += 1
    copy.logLength += line.length
  }

  /** Begins a snapshot once the log is as long as the last snapshot: its cost is then a constant part of each change. */
  #storeSnapshotIfDue(sandbox: string, copy: Copy): void {
    const from = Math.max(this.#deps.snapshotFrom, copy.snapshotLength)
    if (copy.logLength < from || this.#snapshots.has(sandbox)) return
    this.#snapshots.add(sandbox)
    this.#storeSnapshot(sandbox, copy)
      .catch((error: unknown) =>
        this.#deps.report(
          `A snapshot of a sandbox could not be stored (${String(error)}). No change is lost.`,
        ),
      )
      .finally(() => this.#snapshots.delete(sandbox))
  }

  async #storeSnapshot(sandbox: string, copy: Copy): Promise<void> {
    const { state, connection } = this.#deps
    const { incarnation, seq, logLength, shared } = copy
    const entry = state.sandboxes.get(sandbox)
    const contents = { entry: entry && { ...entry, data: entry.data.copy() }, shared }
    const text = await serializeSnapshot(sandbox, contents)
    const { log, head, snapshot } = this.#keysOf(sandbox)
    await connection.run(snapshotScript, [log, head, snapshot], [incarnation, seq, text])
    copy.logLength -= logLength
    copy.snapshotLength = text.length
  }
}

const listed = (sandbox: string, incarnation: string) => `${incarnation} ${JSON.stringify(sandbox)}`

const parseName = (text: string): string => JSON.parse(text) // written by `listed`
