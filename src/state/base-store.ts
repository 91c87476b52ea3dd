import { deriveUuid } from '../base/core/seeded.ts'
import { createStoredEvent, eventCollection, insertKey, payloadDiffers } from './collections/events.ts'
import { createPromptHead, createVersion, promptCollection } from './collections/prompts.ts'
import { Counters } from './memory/counters.ts'
import {
  type Change,
  EMPTY_ENTRY,
  type ImportChange,
  SandboxData,
  type SandboxEntry,
  type StateData,
} from './memory/state-data.ts'
import { addUpRecords, listEvents } from './queries.ts'
import { cloneJson, copyEach, EXPORT_FORMAT } from './records.ts'
import type { EventReceipt, SandboxReading, Store } from './store.ts'

/** Decides which change to make to a sandbox, if any, and which result to return after the change is stored. */
type Command<T> = (entry: SandboxEntry) => { readonly change?: Change; readonly result: T }

export interface Committer {
  /** Applies a change synchronously and resolves when it is stored. Rejects if the change cannot be stored. */
  commit(change: Change): Promise<void>
  /** Encodes an import before its commit, in slices, so that other requests can be handled in between. */
  prepareImport?(change: ImportChange): Promise<void>
  /** See `Store`. A committer without this method never refuses writes permanently. */
  findLoss?(): string | undefined
  close(): Promise<void>
}

const isEmpty = ({ data }: SandboxEntry) => Object.values(data.count()).every((count) => count === 0)

/** A store with its records in memory. Its committer applies and stores the changes. */
export class BaseStore implements Store {
  readonly #state: StateData
  readonly #committer: Committer
  readonly #counters: Counters
  #isClosed = false

  constructor(state: StateData, committer: Committer, counters = new Counters()) {
    this.#state = state
    this.#committer = committer
    this.#counters = counters
  }

  readonly recordEvent: Store['recordEvent'] = async (context, original) => {
    const { sandbox } = context
    const draft = cloneJson(original)
    const insertId = insertKey(draft)
    return this.#commit<EventReceipt>(sandbox, ({ data }) => {
      const events = data.table(eventCollection)
      const stored = insertId === undefined ? undefined : events.find(insertId)
      if (insertId === undefined || stored === undefined) {
        const event = createStoredEvent(context, draft, events.occurrences) // not copied: the table stores JSON text
        const result = { event, replayed: false, payloadDiffers: false }
        return { change: { op: 'event', sandbox, event }, result }
      }
      const event = { ...stored, replays: stored.replays + 1 }
      const result = { event, replayed: true, payloadDiffers: payloadDiffers(stored, draft) }
      return { change: { op: 'replay', sandbox, insertId }, result }
    })
  }
  readonly addPromptVersion: Store['addPromptVersion'] = async (context, original) => {
    const { sandbox } = context
    const draft = cloneJson(original)
    return this.#commit(sandbox, ({ data }) => {
      const prompts = data.table(promptCollection)
      const known = prompts.find(draft) ?? { ...createPromptHead(context, draft, prompts.occurrences), versions: [] }
      const { versions, ...prompt } = known
      const version = createVersion(context, draft, prompt.promptId, versions.length)
      return {
        change: { op: 'version', sandbox, prompt, version },
        result: { promptId: prompt.promptId, version: cloneJson(version) },
      }
    })
  }
  readonly consumeRate: Store['consumeRate'] = async ({ sandbox, now }, key, limit, windowMs) =>
    this.#counters.consumeRate(sandbox, key, limit, windowMs, now)
  readonly nextSequenceIndex: Store['nextSequenceIndex'] = async (sandbox, key) =>
    this.#counters.nextSequenceIndex(sandbox, key)
  readonly listSequences: Store['listSequences'] = async (sandbox) => this.#counters.sequenceCounts(sandbox)
  readonly listEvents: Store['listEvents'] = async (sandbox, query = {}) =>
    listEvents(this.#data(sandbox).table(eventCollection).list(), query)
  readonly listPrompts: Store['listPrompts'] = async (sandbox) =>
    copyEach(this.#data(sandbox).table(promptCollection).list())
  readonly activateVersion: Store['activateVersion'] = (sandbox, promptId, versionId) =>
    this.#changeIf({ sandbox, op: 'activate', promptId, versionId }, ({ data }) =>
      data.table(promptCollection).hasVersion(promptId, versionId),
    )
  readonly eventImpact: Store['eventImpact'] = async (sandbox, query) =>
    this.#data(sandbox).table(eventCollection).impact.query(query)
  readonly getQuality: Store['getQuality'] = async (sandbox) => this.#data(sandbox).quality
  readonly putQuality: Store['putQuality'] = async (sandbox, settings) => {
    await this.#changeIf({ sandbox, op: 'quality', quality: cloneJson(settings) }, () => true)
  }
  /** The ID is derived from the number of earlier snapshots, so repeated runs get the same IDs. */
  readonly createSnapshot: Store['createSnapshot'] = ({ sandbox, seed, now }, name) =>
    this.#commit(sandbox, ({ data, snapshotsTaken }) => {
      const snapshotId = deriveUuid([seed, sandbox, 'snapshot', snapshotsTaken])
      const snapshot = { snapshotId, ...(name !== undefined && { name }), createdAt: new Date(now).toISOString() }
      return { change: { op: 'snapshot', sandbox, snapshot }, result: { ...snapshot, ...data.count() } }
    })
  readonly listSnapshots: Store['listSnapshots'] = async (sandbox) =>
    Array.from(this.#state.sandbox(sandbox).snapshots.values(), ({ head, data }) => ({ ...head, ...data.count() }))
  readonly restoreSnapshot: Store['restoreSnapshot'] = (sandbox, snapshotId) =>
    this.#replaceData({ sandbox, op: 'restore', snapshotId }, ({ snapshots }) => snapshots.has(snapshotId))
  readonly deleteSnapshot: Store['deleteSnapshot'] = (sandbox, snapshotId) =>
    this.#changeIf({ sandbox, op: 'forget', snapshotId }, ({ snapshots }) => snapshots.has(snapshotId))
  readonly exportSandbox: Store['exportSandbox'] = async (sandbox) => {
    const { quality, lists } = this.#data(sandbox).capture()
    const records = Object.fromEntries(lists.map(([name, held]) => [name, copyEach(held)]))
    return { format: EXPORT_FORMAT, quality, ...records } as unknown as SandboxReading // has a list for each collection
  }
  readonly importSandbox: Store['importSandbox'] = async (sandbox, content, condition) => {
    const isAllowed = condition === 'always' ? () => true : isEmpty
    if (!isAllowed(this.#state.sandbox(sandbox))) return false
    const change = { sandbox, op: 'import', state: content, data: await SandboxData.load(content) } as const
    await this.#committer.prepareImport?.(change)
    return this.#replaceData(change, isAllowed)
  }
  readonly listSandboxes: Store['listSandboxes'] = async () =>
    Array.from(this.#state.sandboxes, ([name, { data, snapshots }]) => {
      return { name, ...data.count(), snapshots: snapshots.size }
    })
  readonly deleteSandbox: Store['deleteSandbox'] = (sandbox) => this.#discard('delete', sandbox)
  readonly reset: Store['reset'] = async (sandbox) => {
    await this.#discard('reset', sandbox)
  }
  readonly size: Store['size'] = async () => addUpRecords(await this.listSandboxes())
  readonly fork: Store['fork'] = () =>
    new BaseStore(this.#state, { commit: async () => {}, close: async () => {} }, this.#counters.copy())
  readonly findLoss: Store['findLoss'] = async () => this.#committer.findLoss?.()
  readonly findOutage: Store['findOutage'] = async () => undefined // the state is not on another server
  readonly close: Store['close'] = () => {
    this.#isClosed = true
    return this.#committer.close()
  }

  #data(sandbox: string): SandboxData {
    return this.#state.sandbox(sandbox).data
  }

  /** Decides on a change and applies it in the same turn of the event loop, then stores it and returns the result. */
  async #commit<T>(sandbox: string, decide: Command<T>): Promise<T> {
    const { change, result } = decide(this.#state.sandbox(sandbox))
    if (change === undefined) return result
    if (this.#isClosed) throw new Error('The store is closed.')
    await this.#committer.commit(change)
    return result
  }

  /** Makes the change if its sandbox passes the test. Returns true if the change was made. */
  #changeIf(change: Change, test: (entry: SandboxEntry) => boolean): Promise<boolean> {
    return this.#commit(change.sandbox, (entry) => (test(entry) ? { change, result: true } : { result: false }))
  }

  /** Like `#changeIf`, but for a change that replaces all data: if the change is made, also discards the counters. */
  async #replaceData(change: Change, test: (entry: SandboxEntry) => boolean): Promise<boolean> {
    const isReplaced = await this.#changeIf(change, test)
    if (isReplaced) this.#counters.reset(change.sandbox)
    return isReplaced
  }

  /** Discards a sandbox's data and its counters. Counters can exist without data. */
  async #discard(op: 'reset' | 'delete', sandbox: string): Promise<boolean> {
    const isChanged = await this.#changeIf({ sandbox, op }, (entry) => entry !== EMPTY_ENTRY)
    this.#counters.reset(sandbox)
    return isChanged
  }
}
