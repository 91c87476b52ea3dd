import { type Result, success } from '../core/result.ts'
import { cloneJson, deepFreeze } from './clone.ts'
import {
  addPromptVersion,
  type Command,
  commandUnless,
  createSnapshot,
  recordEvent,
  summarizeSnapshot,
} from './commands.ts'
import { Counters } from './memory/counters.ts'
import type { StateData } from './memory/state-data.ts'
import { countRecords, exportSandbox, listEvents, listSandboxes } from './queries.ts'
import type {
  EventDraft,
  PromptDraft,
  QualitySettings,
  SandboxExport,
  Snapshot,
  StoredPrompt,
} from './records.ts'
import { parseExport } from './sandbox-export.ts'
import type {
  DayImpact,
  EventPage,
  EventQuery,
  EventReceipt,
  ImpactQuery,
  ImportSummary,
  PromptReceipt,
  RateResult,
  SandboxSummary,
  Store,
  WriteContext,
} from './store.ts'

/** What distinguishes the adapters: how a change is kept. */
export interface Committer {
  /** Holds nothing that is not kept, whenever a caller can look at it. */
  readonly state: StateData
  /** Decides, keeps and applies in one turn; rejects with the world unchanged where the change could not be kept. */
  commit<T>(step: Command<T>): Promise<T>
  close(): Promise<void>
}

/** The port on top of a keeper: all that is the same wherever the state is kept. */
export class BaseStore implements Store {
  readonly #committer: Committer
  readonly #counters = new Map<string, Counters>()
  /** What a rehearsal begins to count with. */
  #counted: (sandbox: string) => Counters | undefined = () => undefined

  constructor(keeper: Committer) {
    this.#committer = keeper
  }

  async recordEvent(writer: WriteContext, draft: EventDraft): Promise<EventReceipt> {
    const own = cloneJson(draft)
    return this.#committer.commit((world) => recordEvent(world, writer, own))
  }

  async addPromptVersion(writer: WriteContext, draft: PromptDraft): Promise<PromptReceipt> {
    const own = cloneJson(draft)
    return this.#committer.commit((world) => addPromptVersion(world, writer, own))
  }

  async consumeRate(writer: WriteContext, key: string, limit: number, windowMs: number): Promise<RateResult> {
    return this.#countersOf(writer.sandbox).consumeRate(key, limit, windowMs, writer.now)
  }

  async nextSequenceIndex(sandbox: string, key: string): Promise<number> {
    return this.#countersOf(sandbox).nextSequenceIndex(key)
  }

  async listSequences(sandbox: string): Promise<ReadonlyMap<string, number>> {
    return this.#counters.get(sandbox)?.sequenceCounts() ?? new Map()
  }

  async listEvents(sandbox: string, query: EventQuery = {}): Promise<EventPage> {
    return listEvents(this.#committer.state.sandbox(sandbox).data.events, query)
  }

  async listPrompts(sandbox: string): Promise<readonly StoredPrompt[]> {
    return deepFreeze(this.#committer.state.sandbox(sandbox).data.prompts())
  }

  async activateVersion(sandbox: string, promptId: string, versionId: string): Promise<boolean> {
    return this.#committer.commit((world) => {
      const found = world.sandbox(sandbox).data.hasVersion(promptId, versionId)
      return commandUnless(!found, { sandbox, op: 'activate', promptId, versionId })
    })
  }

  eventImpact(sandbox: string, query: ImpactQuery): ReadonlyMap<string, DayImpact> {
    return this.#committer.state.sandbox(sandbox).data.impact.query(query)
  }

  getQuality(sandbox: string): QualitySettings {
    return deepFreeze(this.#committer.state.sandbox(sandbox).data.quality)
  }

  async putQuality(sandbox: string, settings: QualitySettings): Promise<void> {
    const quality = cloneJson(settings)
    return this.#committer.commit(() => ({ change: { sandbox, op: 'quality', quality }, result: undefined }))
  }

  async createSnapshot(writer: WriteContext, name?: string): Promise<Snapshot> {
    return this.#committer.commit((world) => createSnapshot(world, writer, name))
  }

  async listSnapshots(sandbox: string): Promise<readonly Snapshot[]> {
    return Array.from(this.#committer.state.sandbox(sandbox).snapshots.values(), summarizeSnapshot)
  }

  async restoreSnapshot(sandbox: string, snapshotId: string): Promise<boolean> {
    return this.#replacing(sandbox, (world) => {
      const found = world.sandbox(sandbox).snapshots.has(snapshotId)
      return commandUnless(!found, { sandbox, op: 'restore', snapshotId })
    })
  }

  async deleteSnapshot(sandbox: string, snapshotId: string): Promise<boolean> {
    return this.#committer.commit((world) => {
      const found = world.sandbox(sandbox).snapshots.has(snapshotId)
      return commandUnless(!found, { sandbox, op: 'forget', snapshotId })
    })
  }

  async exportSandbox(sandbox: string): Promise<SandboxExport> {
    return exportSandbox(this.#committer.state, sandbox)
  }

  async importSandbox(sandbox: string, document: unknown): Promise<Result<ImportSummary, readonly string[]>> {
    const parsed = parseExport(document)
    if (!parsed.ok) return parsed
    const state = cloneJson(parsed.value)
    await this.#replacing(sandbox, () => commandUnless(false, { sandbox, op: 'import', state }))
    return success({ events: state.events.length, prompts: state.prompts.length })
  }

  async listSandboxes(): Promise<readonly SandboxSummary[]> {
    return listSandboxes(this.#committer.state)
  }

  async deleteSandbox(sandbox: string): Promise<boolean> {
    const found = await this.#committer.commit((world) =>
      commandUnless(!world.sandboxes.has(sandbox), { sandbox, op: 'delete' }),
    )
    this.#counters.delete(sandbox) // a sandbox that nothing was kept of can have counted, too
    return found
  }

  async reset(sandbox: string): Promise<void> {
    await this.#committer.commit((world) =>
      commandUnless(!world.sandboxes.has(sandbox), { sandbox, op: 'reset' }),
    )
    this.#counters.delete(sandbox)
  }

  async size(): Promise<{ sandboxes: number; events: number; prompts: number }> {
    return countRecords(this.#committer.state)
  }

  fork(): Store {
    const { state } = this.#committer
    const rehearsal = new BaseStore({
      state,
      commit: async (step) => step(state).result,
      close: async () => {},
    })
    rehearsal.#counted = (sandbox) => this.#counters.get(sandbox)?.copy()
    return rehearsal
  }

  async close(): Promise<void> {
    await this.#committer.close()
  }

  /** For what puts something else in the place of all that the sandbox holds: what was counted begins anew. */
  async #replacing(sandbox: string, step: Command<boolean>): Promise<boolean> {
    const done = await this.#committer.commit(step)
    if (done) this.#counters.delete(sandbox)
    return done
  }

  #countersOf(sandbox: string): Counters {
    let known = this.#counters.get(sandbox)
    if (known === undefined) {
      known = this.#counted(sandbox) ?? new Counters()
      this.#counters.set(sandbox, known)
    }
    return known
  }
}
