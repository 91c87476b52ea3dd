import { frozen, ownCopy } from './clone.ts'
import { addVersion, describeSnapshot, recordEvent, type Step, stepUnless, takeSnapshot } from './commands.ts'
import { Limits } from './memory/counters.ts'
import type { World } from './memory/state-data.ts'
import { exportOf, listEvents, listSandboxes, sizeOf } from './queries.ts'
import type { ImportOutcome, QualitySettings, SandboxExport, SandboxSummary, Snapshot } from './sandboxes.ts'
import type {
  DayImpact,
  EventDraft,
  EventPage,
  EventQuery,
  EventReceipt,
  ImpactQuery,
  PromptDraft,
  PromptReceipt,
  RateTaken,
  Store,
  StoredPrompt,
  Writer,
} from './store.ts'
import { parseExport } from './transfer.ts'

/** What distinguishes the adapters: how a change is kept. */
export interface Keeper {
  /** Holds nothing that is not kept, whenever a caller can look at it. */
  readonly world: World
  /** Decides, keeps and applies in one turn; rejects with the world unchanged where the change could not be kept. */
  commit<T>(step: Step<T>): Promise<T>
  close(): Promise<void>
}

/** The port on top of a keeper: all that is the same wherever the state is kept. */
export class KeptStore implements Store {
  readonly #keeper: Keeper
  readonly #limits = new Map<string, Limits>()
  /** What a rehearsal begins to count with. */
  #counted: (sandbox: string) => Limits | undefined = () => undefined

  constructor(keeper: Keeper) {
    this.#keeper = keeper
  }

  async recordEvent(writer: Writer, draft: EventDraft): Promise<EventReceipt> {
    const own = ownCopy(draft)
    return this.#keeper.commit((world) => recordEvent(world, writer, own))
  }

  async addPromptVersion(writer: Writer, draft: PromptDraft): Promise<PromptReceipt> {
    const own = ownCopy(draft)
    return this.#keeper.commit((world) => addVersion(world, writer, own))
  }

  async takeRate(writer: Writer, key: string, limit: number, windowMs: number): Promise<RateTaken> {
    return this.#limitsOf(writer.sandbox).take(key, limit, windowMs, writer.now)
  }

  async stepSequence(sandbox: string, key: string): Promise<number> {
    return this.#limitsOf(sandbox).step(key)
  }

  async listSteps(sandbox: string): Promise<ReadonlyMap<string, number>> {
    return this.#limits.get(sandbox)?.steps() ?? new Map()
  }

  async listEvents(sandbox: string, query: EventQuery = {}): Promise<EventPage> {
    return listEvents(this.#keeper.world.realm(sandbox).sandbox.events, query)
  }

  async listPrompts(sandbox: string): Promise<readonly StoredPrompt[]> {
    return frozen(this.#keeper.world.realm(sandbox).sandbox.prompts())
  }

  async activateVersion(sandbox: string, promptId: string, versionId: string): Promise<boolean> {
    return this.#keeper.commit((world) => {
      const found = world.realm(sandbox).sandbox.hasVersion(promptId, versionId)
      return stepUnless(!found, { sandbox, op: 'activate', promptId, versionId })
    })
  }

  eventImpact(sandbox: string, query: ImpactQuery): ReadonlyMap<string, DayImpact> {
    return this.#keeper.world.realm(sandbox).sandbox.impact.query(query)
  }

  getQuality(sandbox: string): QualitySettings {
    return frozen(this.#keeper.world.realm(sandbox).sandbox.quality)
  }

  async putQuality(sandbox: string, settings: QualitySettings): Promise<void> {
    const quality = ownCopy(settings)
    return this.#keeper.commit(() => ({ change: { sandbox, op: 'quality', quality }, answer: undefined }))
  }

  async createSnapshot(writer: Writer, name?: string): Promise<Snapshot> {
    return this.#keeper.commit((world) => takeSnapshot(world, writer, name))
  }

  async listSnapshots(sandbox: string): Promise<readonly Snapshot[]> {
    return Array.from(this.#keeper.world.realm(sandbox).snapshots.values(), describeSnapshot)
  }

  async restoreSnapshot(sandbox: string, snapshotId: string): Promise<boolean> {
    return this.#replacing(sandbox, (world) => {
      const found = world.realm(sandbox).snapshots.has(snapshotId)
      return stepUnless(!found, { sandbox, op: 'restore', snapshotId })
    })
  }

  async deleteSnapshot(sandbox: string, snapshotId: string): Promise<boolean> {
    return this.#keeper.commit((world) => {
      const found = world.realm(sandbox).snapshots.has(snapshotId)
      return stepUnless(!found, { sandbox, op: 'forget', snapshotId })
    })
  }

  async exportSandbox(sandbox: string): Promise<SandboxExport> {
    return exportOf(this.#keeper.world, sandbox)
  }

  async importSandbox(sandbox: string, document: unknown): Promise<ImportOutcome> {
    const parsed = parseExport(document)
    if (!parsed.ok) return { imported: false, problems: parsed.problems }
    const state = ownCopy(parsed.state)
    await this.#replacing(sandbox, () => stepUnless(false, { sandbox, op: 'import', state }))
    return { imported: true, events: state.events.length, prompts: state.prompts.length }
  }

  async listSandboxes(): Promise<readonly SandboxSummary[]> {
    return listSandboxes(this.#keeper.world)
  }

  async deleteSandbox(sandbox: string): Promise<boolean> {
    const found = await this.#keeper.commit((world) =>
      stepUnless(!world.realms.has(sandbox), { sandbox, op: 'delete' }),
    )
    this.#limits.delete(sandbox) // a sandbox that nothing was kept of can have counted, too
    return found
  }

  async reset(sandbox: string): Promise<void> {
    await this.#keeper.commit((world) => stepUnless(!world.realms.has(sandbox), { sandbox, op: 'reset' }))
    this.#limits.delete(sandbox)
  }

  async size(): Promise<{ sandboxes: number; events: number; prompts: number }> {
    return sizeOf(this.#keeper.world)
  }

  rehearsal(): Store {
    const { world } = this.#keeper
    const rehearsal = new KeptStore({
      world,
      commit: async (step) => step(world).answer,
      close: async () => {},
    })
    rehearsal.#counted = (sandbox) => this.#limits.get(sandbox)?.copy()
    return rehearsal
  }

  async close(): Promise<void> {
    await this.#keeper.close()
  }

  /** For what puts something else in the place of all that the sandbox holds: what was counted begins anew. */
  async #replacing(sandbox: string, step: Step<boolean>): Promise<boolean> {
    const done = await this.#keeper.commit(step)
    if (done) this.#limits.delete(sandbox)
    return done
  }

  #limitsOf(sandbox: string): Limits {
    let known = this.#limits.get(sandbox)
    if (known === undefined) {
      known = this.#counted(sandbox) ?? new Limits()
      this.#limits.set(sandbox, known)
    }
    return known
  }
}
