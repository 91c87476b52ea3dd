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
  deleteSandbox,
  recordEvent,
  summarizeSnapshot,
  updateRecord,
} from './commands.ts'
import type { Committer, CounterPort } from './committer.ts'
import { Counters } from './memory/counters.ts'
import type { StateData } from './memory/state-data.ts'
import type { Table } from './memory/table.ts'
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

/** The part of the port that is the same for all adapters. */
export class BaseStore implements Store {
  readonly #committer: Committer
  /** The counters of this process. Undefined until they are first needed: most forks need none. */
  #counters: CounterPort | undefined
  readonly #createCounters: () => CounterPort

  /** `createCounters`: the counters to begin with; default: new ones. */
  constructor(committer: Committer, createCounters: () => CounterPort = () => new Counters()) {
    this.#committer = committer
    this.#createCounters = createCounters
  }

  async recordEvent(context: WriteContext, draft: EventDraft): Promise<EventReceipt> {
    const copy = cloneJson(draft)
    return this.#committer.commit(context.sandbox, (state) => recordEvent(state, context, copy))
  }

  async addPromptVersion(context: WriteContext, draft: PromptDraft): Promise<PromptReceipt> {
    const copy = cloneJson(draft)
    return this.#committer.commit(context.sandbox, (state) => addPromptVersion(state, context, copy))
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
    return listEvents((await this.#table(sandbox, eventCollection)).list, query)
  }

  async listPrompts(sandbox: string): Promise<readonly StoredPrompt[]> {
    return (await this.#table(sandbox, promptCollection)).list()
  }

  async activateVersion(sandbox: string, promptId: string, versionId: string): Promise<boolean> {
    return this.#committer.commit(sandbox, (state) => {
      const found = state.sandbox(sandbox).data.table(promptCollection).hasVersion(promptId, versionId)
      return changeIf(found, { sandbox, op: 'activate', promptId, versionId })
    })
  }

  async eventImpact(sandbox: string, query: ImpactQuery): Promise<ReadonlyMap<string, DayImpact>> {
    return (await this.#table(sandbox, eventCollection)).impact(query)
  }

  async getQuality(sandbox: string): Promise<QualitySettings> {
    return deepFreeze((await this.#read(sandbox)).sandbox(sandbox).data.quality)
  }

  async putQuality(sandbox: string, settings: QualitySettings): Promise<void> {
    const quality = cloneJson(settings)
    const change = { sandbox, op: 'quality', quality } as const
    return this.#committer.commit(sandbox, () => ({ change, result: undefined }))
  }

  async listRecords<Item extends object>(
    sandbox: string,
    collection: PlainCollection<Item>,
  ): Promise<readonly Item[]> {
    return (await this.#table(sandbox, collection)).list()
  }

  async updateRecord<Item extends object>(
    sandbox: string,
    collection: PlainCollection<Item>,
    key: string,
    update: (record: Item | undefined) => Item | undefined,
  ): Promise<Item | undefined> {
    return this.#committer.commit(sandbox, (state) => updateRecord(state, sandbox, collection, key, update))
  }

  async createSnapshot(context: WriteContext, name?: string): Promise<Snapshot> {
    return this.#committer.commit(context.sandbox, (state) => createSnapshot(state, context, name))
  }

  async listSnapshots(sandbox: string): Promise<readonly Snapshot[]> {
    const { snapshots } = (await this.#read(sandbox)).sandbox(sandbox)
    return Array.from(snapshots.values(), summarizeSnapshot)
  }

  async restoreSnapshot(sandbox: string, snapshotId: string): Promise<boolean> {
    return this.#replaceData(sandbox, (state) => {
      const found = state.sandbox(sandbox).snapshots.has(snapshotId)
      return changeIf(found, { sandbox, op: 'restore', snapshotId })
    })
  }

  async deleteSnapshot(sandbox: string, snapshotId: string): Promise<boolean> {
    return this.#committer.commit(sandbox, (state) => {
      const found = state.sandbox(sandbox).snapshots.has(snapshotId)
      return changeIf(found, { sandbox, op: 'forget', snapshotId })
    })
  }

  async exportSandbox(sandbox: string): Promise<SandboxExport> {
    return exportSandbox(await this.#read(sandbox), sandbox)
  }

  async importSandbox(sandbox: string, document: unknown): Promise<Result<RecordCounts, readonly string[]>> {
    const parsed = await parseExport(cloneJson(document))
    if (!parsed.ok) return parsed
    const state = parsed.value
    await this.#replaceData(sandbox, () => changeIf(true, { sandbox, op: 'import', state }))
    return success(countEach((collection) => recordsOf(state, collection).length))
  }

  async importIfEmpty(sandbox: string, document: SandboxExport): Promise<boolean> {
    const content = cloneJson(document)
    return this.#replaceData(sandbox, (state) => {
      const counts = Object.values(state.sandbox(sandbox).data.count())
      return changeIf(Math.max(...counts) === 0, { sandbox, op: 'import', state: content })
    })
  }

  async listSandboxes(): Promise<readonly SandboxSummary[]> {
    return this.#committer.listSandboxes?.() ?? listSandboxes(this.#committer.state)
  }

  async deleteSandbox(sandbox: string): Promise<boolean> {
    const found = await this.#committer.commit(sandbox, ({ sandboxes }) =>
      deleteSandbox(sandbox, this.#committer.isStored?.(sandbox) ?? sandboxes.has(sandbox)),
    )
    this.#counters?.reset(sandbox) // a sandbox without stored data can have counters
    return found
  }

  async reset(sandbox: string): Promise<void> {
    await this.#committer.commit(sandbox, (state) => ({
      ...changeIf(state.sandboxes.has(sandbox), { sandbox, op: 'reset' }),
      discards: 'counters',
    }))
    this.#counters?.reset(sandbox)
  }

  async size(): Promise<StateSummary> {
    return addUpRecords(await this.listSandboxes())
  }

  fork(): Store {
    const { state, refresh, listSandboxes } = this.#committer
    const committer: Committer = {
      state,
      commit: async (sandbox, command) => command(await this.#read(sandbox)).result,
      ...(refresh && { refresh: refresh.bind(this.#committer) }),
      ...(listSandboxes && { listSandboxes: listSandboxes.bind(this.#committer) }),
      close: async () => {},
    }
    return new BaseStore(committer, () => this.#readCounters().copy())
  }

  async findLoss(): Promise<string | undefined> {
    return this.#committer.findLoss?.()
  }

  async findOutage(): Promise<string | undefined> {
    return this.#committer.findOutage?.()
  }

  async close(): Promise<void> {
    await this.#committer.close()
  }

  /** Returns the state, first with the changes of other processes, if there can be any. */
  #read(sandbox: string): StateData | Promise<StateData> {
    const committer = this.#committer
    const refreshed = committer.refresh?.(sandbox)
    return refreshed ? refreshed.then(() => committer.state) : committer.state
  }

  async #table<Item extends object, T extends Table<Item>>(
    sandbox: string,
    collection: Collection<Item, T>,
  ): Promise<T> {
    return (await this.#read(sandbox)).sandbox(sandbox).data.table(collection)
  }

  /** Commits a command that replaces all data of the sandbox, and discards the sandbox's counters. */
  async #replaceData(sandbox: string, command: Command<boolean>): Promise<boolean> {
    const isReplaced = await this.#committer.commit(sandbox, (state) => {
      const decision = command(state)
      return decision.result ? { ...decision, discards: 'counters' } : decision
    })
    if (isReplaced) this.#counters?.reset(sandbox)
    return isReplaced
  }

  #readCounters(): CounterPort {
    if (this.#committer.counters) return this.#committer.counters
    this.#counters ??= this.#createCounters()
    return this.#counters
  }
}
