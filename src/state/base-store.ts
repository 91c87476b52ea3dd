import { type Result, success } from '../core/result.ts'
import { cloneJson, deepFreeze } from './clone.ts'
import type { Collection, PlainCollection } from './collections/collection.ts'
import { eventCollection } from './collections/events.ts'
import { countEach, type RecordCounts, recordsOf } from './collections/index.ts'
import { promptCollection } from './collections/prompts.ts'
import {
  addPromptVersion,
  type Command,
  changeIf,
  createSnapshot,
  recordEvent,
  summarizeSnapshot,
  updateRecord,
} from './commands.ts'
import { Counters } from './memory/counters.ts'
import type { StateData } from './memory/state-data.ts'
import type { Table } from './memory/table.ts'
import { countRecords, exportSandbox, listEvents, listSandboxes } from './queries.ts'
import type {
  DayImpact,
  EventDraft,
  ImpactQuery,
  PromptDraft,
  QualitySettings,
  StoredPrompt,
  WriteContext,
} from './records.ts'
import { parseExport } from './sandbox-export.ts'
import type {
  EventPage,
  EventQuery,
  EventReceipt,
  PromptReceipt,
  RateResult,
  SandboxExport,
  SandboxSummary,
  Snapshot,
  StateSummary,
  Store,
} from './store.ts'

/** Makes a committed change durable; the part that differs between adapters. */
export interface Committer {
  /** The state with all stored changes, and no others whenever a caller can read it. */
  readonly state: StateData
  /** Decides, stores and applies a command. Rejects, the state unchanged, if the change cannot be stored. */
  commit<T>(command: Command<T>): Promise<T>
  /** See `Store`. Absent: no write is refused for good. */
  findLoss?(): Promise<string | undefined>
  close(): Promise<void>
}

/** The part of the port that is the same for all adapters. */
export class BaseStore implements Store {
  readonly #committer: Committer
  /** Undefined until they are first needed: most forks need none. */
  #counters: Counters | undefined
  readonly #createCounters: () => Counters

  /** `createCounters`: the counters to begin with; default: new ones. */
  constructor(committer: Committer, createCounters = () => new Counters()) {
    this.#committer = committer
    this.#createCounters = createCounters
  }

  async recordEvent(context: WriteContext, draft: EventDraft): Promise<EventReceipt> {
    const copy = cloneJson(draft)
    return this.#committer.commit((state) => recordEvent(state, context, copy))
  }

  async addPromptVersion(context: WriteContext, draft: PromptDraft): Promise<PromptReceipt> {
    const copy = cloneJson(draft)
    return this.#committer.commit((state) => addPromptVersion(state, context, copy))
  }

  async consumeRate(
    context: WriteContext,
    key: string,
    limit: number,
    windowMs: number,
  ): Promise<RateResult> {
    return this.#readCounters().consumeRate(context.sandbox, key, limit, windowMs, context.now)
  }

  async nextSequenceIndex(sandbox: string, key: string): Promise<number> {
    return this.#readCounters().nextSequenceIndex(sandbox, key)
  }

  async listSequences(sandbox: string): Promise<ReadonlyMap<string, number>> {
    return this.#readCounters().sequenceCounts(sandbox)
  }

  async listEvents(sandbox: string, query: EventQuery = {}): Promise<EventPage> {
    return listEvents(this.#table(sandbox, eventCollection).list, query)
  }

  async listPrompts(sandbox: string): Promise<readonly StoredPrompt[]> {
    return this.#table(sandbox, promptCollection).list()
  }

  async activateVersion(sandbox: string, promptId: string, versionId: string): Promise<boolean> {
    return this.#committer.commit((state) => {
      const found = state.sandbox(sandbox).data.table(promptCollection).hasVersion(promptId, versionId)
      return changeIf(found, { sandbox, op: 'activate', promptId, versionId })
    })
  }

  async eventImpact(sandbox: string, query: ImpactQuery): Promise<ReadonlyMap<string, DayImpact>> {
    return this.#table(sandbox, eventCollection).impact(query)
  }

  async getQuality(sandbox: string): Promise<QualitySettings> {
    return deepFreeze(this.#committer.state.sandbox(sandbox).data.quality)
  }

  async putQuality(sandbox: string, settings: QualitySettings): Promise<void> {
    const quality = cloneJson(settings)
    return this.#committer.commit(() => ({ change: { sandbox, op: 'quality', quality }, result: undefined }))
  }

  async listRecords<Item extends object>(
    sandbox: string,
    collection: PlainCollection<Item>,
  ): Promise<readonly Item[]> {
    return this.#table(sandbox, collection).list()
  }

  async updateRecord<Item extends object>(
    sandbox: string,
    collection: PlainCollection<Item>,
    key: string,
    update: (record: Item | undefined) => Item | undefined,
  ): Promise<Item | undefined> {
    return this.#committer.commit((state) => updateRecord(state, sandbox, collection, key, update))
  }

  async createSnapshot(context: WriteContext, name?: string): Promise<Snapshot> {
    return this.#committer.commit((state) => createSnapshot(state, context, name))
  }

  async listSnapshots(sandbox: string): Promise<readonly Snapshot[]> {
    return Array.from(this.#committer.state.sandbox(sandbox).snapshots.values(), summarizeSnapshot)
  }

  async restoreSnapshot(sandbox: string, snapshotId: string): Promise<boolean> {
    return this.#replaceData(sandbox, (state) => {
      const found = state.sandbox(sandbox).snapshots.has(snapshotId)
      return changeIf(found, { sandbox, op: 'restore', snapshotId })
    })
  }

  async deleteSnapshot(sandbox: string, snapshotId: string): Promise<boolean> {
    return this.#committer.commit((state) => {
      const found = state.sandbox(sandbox).snapshots.has(snapshotId)
      return changeIf(found, { sandbox, op: 'forget', snapshotId })
    })
  }

  async exportSandbox(sandbox: string): Promise<SandboxExport> {
    return exportSandbox(this.#committer.state, sandbox)
  }

  async importSandbox(sandbox: string, document: unknown): Promise<Result<RecordCounts, readonly string[]>> {
    const parsed = await parseExport(cloneJson(document))
    if (!parsed.ok) return parsed
    const state = parsed.value
    await this.#replaceData(sandbox, () => changeIf(true, { sandbox, op: 'import', state }))
    return success(countEach((collection) => recordsOf(state, collection).length))
  }

  async listSandboxes(): Promise<readonly SandboxSummary[]> {
    return listSandboxes(this.#committer.state)
  }

  async deleteSandbox(sandbox: string): Promise<boolean> {
    const found = await this.#committer.commit((state) =>
      changeIf(state.sandboxes.has(sandbox), { sandbox, op: 'delete' }),
    )
    this.#counters?.reset(sandbox) // a sandbox without stored data can have counters
    return found
  }

  async reset(sandbox: string): Promise<void> {
    await this.#committer.commit((state) => changeIf(state.sandboxes.has(sandbox), { sandbox, op: 'reset' }))
    this.#counters?.reset(sandbox)
  }

  async size(): Promise<StateSummary> {
    return countRecords(this.#committer.state)
  }

  fork(): Store {
    const { state } = this.#committer
    const committer: Committer = {
      state,
      commit: async (command) => command(state).result,
      close: async () => {},
    }
    return new BaseStore(committer, () => this.#readCounters().copy())
  }

  async findLoss(): Promise<string | undefined> {
    return this.#committer.findLoss?.()
  }

  async close(): Promise<void> {
    await this.#committer.close()
  }

  #table<Item extends object, T extends Table<Item>>(sandbox: string, collection: Collection<Item, T>): T {
    return this.#committer.state.sandbox(sandbox).data.table(collection)
  }

  /** Commits a command that replaces all data of the sandbox, and discards the sandbox's counters. */
  async #replaceData(sandbox: string, command: Command<boolean>): Promise<boolean> {
    const isReplaced = await this.#committer.commit(command)
    if (isReplaced) this.#counters?.reset(sandbox)
    return isReplaced
  }

  #readCounters(): Counters {
    this.#counters ??= this.#createCounters()
    return this.#counters
  }
}
