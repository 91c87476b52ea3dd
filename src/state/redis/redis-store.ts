/**
 * The state in Redis, which several replicas share. No process has a copy: each method is one script (`lua/`) or a few,
 * which `sandbox-scripts.ts` runs. `keys.ts` describes what is stored, `open-redis-store.ts` connects.
 */

import { LruCache } from '../../core/lru-cache.ts'
import { type Result, success } from '../../core/result.ts'
import { sleep } from '../../core/timers.ts'
import type { PlainCollection } from '../collections/collection.ts'
import { countRecords, type RecordCounts } from '../collections/index.ts'
import { addUpRecords } from '../queries.ts'
import type {
  DayImpact,
  EventDraft,
  ImpactQuery,
  PromptDraft,
  QualitySettings,
  StoredPrompt,
  WriteContext,
} from '../records.ts'
import { parseExport } from '../sandbox-export.ts'
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
} from '../store.ts'
import type { RedisConnection } from './connection.ts'
import { exportSandbox, listEvents } from './event-reader.ts'
import { parseRecords, updateRecord } from './head-fields.ts'
import { recordsField } from './keys.ts'
import { ACTIVATE_VERSION } from './lua/prompt-scripts.ts'
import {
  DELETE_SANDBOX,
  DELETE_SNAPSHOT,
  PUT_QUALITY,
  RESET,
  RESTORE_SNAPSHOT,
} from './lua/sandbox-scripts.ts'
import { parseQuality, readContent } from './read-content.ts'
import type { SandboxCounters } from './redis-counters.ts'
import { type KnownImpact, recordEvent, sumImpact } from './redis-events.ts'
import { importContent } from './redis-import.ts'
import { addPromptVersion } from './redis-prompts.ts'
import { createSnapshot, listSandboxes, listSnapshots } from './redis-snapshots.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The parts that a store works with. */
export interface RedisStoreDeps {
  readonly scripts: SandboxScripts
  readonly counters: SandboxCounters
  /** Says why Redis takes no changes, or cannot be reached. Undefined if it can be used. */
  readonly findOutage: () => Promise<string | undefined>
  readonly close: () => Promise<void>
}

/** The store in Redis. */
export class RedisStore implements Store {
  readonly #deps: RedisStoreDeps
  readonly #scripts: SandboxScripts
  /** The impact by sandbox and query. */
  readonly #impacts = new LruCache<KnownImpact>(200)

  constructor(deps: RedisStoreDeps) {
    this.#deps = deps
    this.#scripts = deps.scripts
  }

  recordEvent(context: WriteContext, draft: EventDraft): Promise<EventReceipt> {
    return recordEvent(this.#scripts, context, draft)
  }

  addPromptVersion(context: WriteContext, draft: PromptDraft): Promise<PromptReceipt> {
    return addPromptVersion(this.#scripts, context, draft)
  }

  consumeRate(
    { sandbox, now }: WriteContext,
    key: string,
    limit: number,
    windowMs: number,
  ): Promise<RateResult> {
    return this.#deps.counters.consumeRate(sandbox, key, limit, windowMs, now)
  }

  nextSequenceIndex(sandbox: string, key: string): Promise<number> {
    return this.#deps.counters.nextSequenceIndex(sandbox, key)
  }

  listSequences(sandbox: string): Promise<ReadonlyMap<string, number>> {
    return this.#deps.counters.sequenceCounts(sandbox)
  }

  listEvents(sandbox: string, query: EventQuery = {}): Promise<EventPage> {
    return listEvents(this.#scripts, sandbox, query)
  }

  async listPrompts(sandbox: string): Promise<readonly StoredPrompt[]> {
    return (await readContent(this.#scripts, sandbox)).prompts
  }

  async activateVersion(sandbox: string, promptId: string, versionId: string): Promise<boolean> {
    const [outcome] = await this.#scripts.write(ACTIVATE_VERSION, sandbox, [promptId, versionId])
    return outcome === 'activated'
  }

  eventImpact(sandbox: string, query: ImpactQuery): Promise<ReadonlyMap<string, DayImpact>> {
    const known = this.#impacts.get(`${sandbox} ${JSON.stringify(query)}`, () => ({
      state: '',
      days: new Map(),
    }))
    return sumImpact(this.#scripts, sandbox, query, known)
  }

  async getQuality(sandbox: string): Promise<QualitySettings> {
    const fresh = this.#scripts.heads.get(sandbox)?.quality
    const [text = ''] = fresh === undefined ? await this.#scripts.readHead(sandbox, 'quality') : [fresh]
    return parseQuality(sandbox, text)
  }

  async putQuality(sandbox: string, settings: QualitySettings): Promise<void> {
    await this.#scripts.write(PUT_QUALITY, sandbox, [JSON.stringify(settings)])
  }

  async listRecords<Item extends object>(
    sandbox: string,
    { name }: PlainCollection<Item>,
  ): Promise<readonly Item[]> {
    const [text] = await this.#scripts.readHead(sandbox, recordsField(name))
    return parseRecords(sandbox, text)
  }

  updateRecord<Item extends object>(
    sandbox: string,
    collection: PlainCollection<Item>,
    key: string,
    update: (record: Item | undefined) => Item | undefined,
  ): Promise<Item | undefined> {
    return updateRecord(this.#scripts, sandbox, collection, key, update)
  }

  createSnapshot(context: WriteContext, name?: string): Promise<Snapshot> {
    return createSnapshot(this.#scripts, context, name)
  }

  listSnapshots(sandbox: string): Promise<readonly Snapshot[]> {
    return listSnapshots(this.#scripts, sandbox)
  }

  async restoreSnapshot(sandbox: string, snapshotId: string): Promise<boolean> {
    const [outcome] = await this.#scripts.write(RESTORE_SNAPSHOT, sandbox, [snapshotId])
    if (outcome === 'restored') this.#deps.counters.discard(sandbox)
    return outcome === 'restored'
  }

  async deleteSnapshot(sandbox: string, snapshotId: string): Promise<boolean> {
    const [outcome] = await this.#scripts.write(DELETE_SNAPSHOT, sandbox, [snapshotId])
    return outcome === 'deleted'
  }

  exportSandbox(sandbox: string): Promise<SandboxExport> {
    return exportSandbox(this.#scripts, sandbox)
  }

  async importSandbox(sandbox: string, document: unknown): Promise<Result<RecordCounts, readonly string[]>> {
    const parsed = await parseExport(document)
    if (!parsed.ok) return parsed
    await this.#import(sandbox, parsed.value, 'always')
    return success(countRecords(parsed.value))
  }

  importIfEmpty(sandbox: string, document: SandboxExport): Promise<boolean> {
    return this.#import(sandbox, document, 'if-empty')
  }

  async #import(sandbox: string, content: SandboxExport, condition: 'always' | 'if-empty'): Promise<boolean> {
    const isImported = await importContent(this.#scripts, sandbox, content, condition)
    if (isImported) this.#deps.counters.discard(sandbox)
    return isImported
  }

  listSandboxes(): Promise<readonly SandboxSummary[]> {
    return listSandboxes(this.#scripts)
  }

  async deleteSandbox(sandbox: string): Promise<boolean> {
    return (await this.#replace(DELETE_SANDBOX, sandbox)) === 'deleted'
  }

  async reset(sandbox: string): Promise<void> {
    await this.#replace(RESET, sandbox)
  }

  async #replace(script: typeof RESET, sandbox: string) {
    const [outcome] = await this.#scripts.write(script, sandbox)
    this.#deps.counters.discard(sandbox)
    if (!this.#scripts.isFork) await waitForMemory(this.#scripts.connection)
    return outcome
  }

  async size(): Promise<StateSummary> {
    return addUpRecords(await this.listSandboxes())
  }

  fork(): Store {
    const { scripts, counters, ...others } = this.#deps
    const close = async () => {}
    return new RedisStore({ ...others, scripts: scripts.fork(), counters: counters.fork(), close })
  }

  async findLoss(): Promise<undefined> {
    return undefined
  }

  findOutage(): Promise<string | undefined> {
    return this.#deps.findOutage()
  }

  close(): Promise<void> {
    return this.#deps.close()
  }
}

/** The number of times that Redis is asked, 10 ms apart. */
const MAX_QUESTIONS = 100

/**
 * Waits until Redis has freed the memory of deleted keys, which it does beside other commands, so that a full one takes
 * changes again.
 */
async function waitForMemory(connection: RedisConnection): Promise<void> {
  for (let questions = 0; questions < MAX_QUESTIONS; questions += 1) {
    const info = String(await connection.call('info', 'memory'))
    if (!/^lazyfree_pending_objects:[1-9]/m.test(info)) return
    await sleep(10)
  }
}
