import { type Result, success } from '../core/result.ts'
import { cloneJson, copyInSlices, deepFreeze } from './clone.ts'
import type { PlainCollection } from './collections/collection.ts'
import { eventCollection } from './collections/events.ts'
import { countRecords, type RecordCounts } from './collections/index.ts'
import { promptCollection } from './collections/prompts.ts'
import {
  addPromptVersion,
  type Command,
  type Committer,
  changeIf,
  createSnapshot,
  recordEvent,
  summarizeSnapshot,
  updateRecord,
} from './commands.ts'
import { Counters } from './memory/counters.ts'
import type { SandboxData } from './memory/state-data.ts'
import { addUpRecords, exportSandbox, listEvents, listSandboxes } from './queries.ts'
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

/** A store whose records are in memory. It decides there, and its committer makes the changes durable. */
export class BaseStore implements Store {
  readonly #committer: Committer
  /** The counters of this process. Undefined until they are first needed: most forks need none. */
  #counters: Counters | undefined
  readonly #createCounters: () => Counters

  /** `createCounters` returns the counters to begin with; default: new ones. */
  constructor(committer: Committer, createCounters: () => Counters = () => new Counters()) {
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
    return this.#read(sandbox, (data) => listEvents(data.table(eventCollection).copy(), query))
  }

  async listPrompts(sandbox: string): Promise<readonly StoredPrompt[]> {
    return this.#read(sandbox, (data) => copyInSlices(data.table(promptCollection).list()))
  }

  async activateVersion(sandbox: string, promptId: string, versionId: string): Promise<boolean> {
    return this.#committer.commit((state) => {
      const found = state.sandbox(sandbox).data.table(promptCollection).hasVersion(promptId, versionId)
      return changeIf(found, { sandbox, op: 'activate', promptId, versionId })
    })
  }

  async eventImpact(sandbox: string, query: ImpactQuery): Promise<ReadonlyMap<string, DayImpact>> {
    return this.#read(sandbox, (data) => data.table(eventCollection).impact(query))
  }

  async getQuality(sandbox: string): Promise<QualitySettings> {
    return this.#read(sandbox, ({ quality }) => deepFreeze(quality))
  }

  async putQuality(sandbox: string, settings: QualitySettings): Promise<void> {
    const quality = cloneJson(settings)
    const change = { sandbox, op: 'quality', quality } as const
    return this.#committer.commit(() => ({ change, result: undefined }))
  }

  async listRecords<Item extends object>(sandbox: string, collection: PlainCollection<Item>) {
    return this.#read(sandbox, (data) => copyInSlices(data.table(collection).list()))
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
    return this.#committer.read((state) =>
      Array.from(state.sandbox(sandbox).snapshots.values(), summarizeSnapshot),
    )
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
    return this.#committer.read((state) => exportSandbox(state, sandbox))
  }

  async importSandbox(sandbox: string, document: unknown): Promise<Result<RecordCounts, readonly string[]>> {
    const parsed = await parseExport(document)
    if (!parsed.ok) return parsed
    const change = { sandbox, op: 'import', state: parsed.value } as const
    await this.#committer.prepareImport?.(change)
    await eventCollection.prepareTable?.(change.state.events)
    await this.#replaceData(sandbox, () => changeIf(true, change))
    return success(countRecords(change.state))
  }

  async importIfEmpty(sandbox: string, document: SandboxExport): Promise<boolean> {
    const content = cloneJson(document)
    return this.#replaceData(sandbox, (state) => {
      const counts = Object.values(state.sandbox(sandbox).data.count())
      return changeIf(Math.max(...counts) === 0, { sandbox, op: 'import', state: content })
    })
  }

  async listSandboxes(): Promise<readonly SandboxSummary[]> {
    return this.#committer.read(listSandboxes)
  }

  async deleteSandbox(sandbox: string): Promise<boolean> {
    const isDeleted = await this.#committer.commit((state) =>
      changeIf(state.sandboxes.has(sandbox), { sandbox, op: 'delete' }),
    )
    this.#counters?.reset(sandbox) // a sandbox without stored data can have counters
    return isDeleted
  }

  async reset(sandbox: string): Promise<void> {
    await this.#committer.commit((state) => changeIf(state.sandboxes.has(sandbox), { sandbox, op: 'reset' }))
    this.#counters?.reset(sandbox)
  }

  async size(): Promise<StateSummary> {
    return addUpRecords(await this.listSandboxes())
  }

  fork(): Store {
    const committer: Committer = {
      read: (query) => this.#committer.read(query),
      commit: async (command) => this.#committer.read((state) => command(state).result),
      close: async () => {},
    }
    return new BaseStore(committer, () => this.#readCounters().copy())
  }

  async findLoss(): Promise<string | undefined> {
    return this.#committer.findLoss?.()
  }

  async findOutage(): Promise<string | undefined> {
    return undefined // no other server has the state
  }

  async close(): Promise<void> {
    await this.#committer.close()
  }

  #read<T>(sandbox: string, query: (data: SandboxData) => T | Promise<T>): T | Promise<T> {
    return this.#committer.read((state) => query(state.sandbox(sandbox).data))
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
