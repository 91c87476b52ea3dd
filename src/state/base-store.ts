import { once } from '../core/once.ts'
import { cloneJson, copyInSlices, deepFreeze } from './clone.ts'
import { eventCollection } from './collections/events.ts'
import { promptCollection } from './collections/prompts.ts'
import * as commands from './commands.ts'
import { Counters } from './memory/counters.ts'
import { SandboxData, type StateData } from './memory/state-data.ts'
import { addUpRecords, exportSandbox, listEvents, listSandboxes } from './queries.ts'
import type { Store } from './store.ts'

const { changeIf } = commands

/** A store whose records are in memory. It decides there, and its committer makes the changes durable. */
export class BaseStore implements Store {
  readonly #committer: commands.Committer
  /** The counters of this process, which are created when they are first needed: most forks need none. */
  readonly #counters: () => Counters

  /** `createCounters` returns the counters to begin with; default: new ones. */
  constructor(committer: commands.Committer, createCounters = () => new Counters()) {
    this.#committer = committer
    this.#counters = once(createCounters)
  }

  readonly recordEvent: Store['recordEvent'] = async (context, draft) => {
    const copy = cloneJson(draft)
    return this.#committer.commit((state) => commands.recordEvent(state, context, copy))
  }
  readonly addPromptVersion: Store['addPromptVersion'] = async (context, draft) => {
    const copy = cloneJson(draft)
    return this.#committer.commit((state) => commands.addPromptVersion(state, context, copy))
  }
  readonly consumeRate: Store['consumeRate'] = async ({ sandbox, now }, key, limit, windowMs) =>
    this.#counters().consumeRate(sandbox, key, limit, windowMs, now)
  readonly nextSequenceIndex: Store['nextSequenceIndex'] = async (sandbox, key) =>
    this.#counters().nextSequenceIndex(sandbox, key)
  readonly listSequences: Store['listSequences'] = async (sandbox) => this.#counters().sequenceCounts(sandbox)
  readonly listEvents: Store['listEvents'] = async (sandbox, query = {}) =>
    this.#read(sandbox, (data) => listEvents(data.table(eventCollection), query))
  readonly listPrompts: Store['listPrompts'] = async (sandbox) =>
    this.#read(sandbox, (data) => copyInSlices(data.table(promptCollection).list()))
  readonly activateVersion: Store['activateVersion'] = (sandbox, promptId, versionId) =>
    this.#committer.commit((state) => {
      const found = state.sandbox(sandbox).data.table(promptCollection).hasVersion(promptId, versionId)
      return changeIf(found, { sandbox, op: 'activate', promptId, versionId })
    })
  readonly eventImpact: Store['eventImpact'] = async (sandbox, query) =>
    this.#read(sandbox, (data) => data.table(eventCollection).impact.query(query))
  readonly getQuality: Store['getQuality'] = async (sandbox) =>
    this.#read(sandbox, ({ quality }) => deepFreeze(quality))
  readonly putQuality: Store['putQuality'] = async (sandbox, settings) => {
    const change = { sandbox, op: 'quality', quality: cloneJson(settings) } as const
    return this.#committer.commit(() => ({ change, result: undefined }))
  }
  readonly listRecords: Store['listRecords'] = async (sandbox, collection) =>
    this.#read(sandbox, (data) => copyInSlices(data.table(collection).list()))
  readonly updateRecord: Store['updateRecord'] = (sandbox, collection, key, update) =>
    this.#committer.commit((state) => commands.updateRecord(state, sandbox, collection, key, update))
  readonly createSnapshot: Store['createSnapshot'] = (context, name) =>
    this.#committer.commit((state) => commands.createSnapshot(state, context, name))
  readonly listSnapshots: Store['listSnapshots'] = async (sandbox) =>
    this.#committer.read((state) => Array.from(state.sandbox(sandbox).snapshots.values(), commands.summarizeSnapshot))
  readonly restoreSnapshot: Store['restoreSnapshot'] = (sandbox, snapshotId) =>
    this.#replaceData(sandbox, (state) => {
      const found = state.sandbox(sandbox).snapshots.has(snapshotId)
      return changeIf(found, { sandbox, op: 'restore', snapshotId })
    })
  readonly deleteSnapshot: Store['deleteSnapshot'] = (sandbox, snapshotId) =>
    this.#committer.commit((state) => {
      const found = state.sandbox(sandbox).snapshots.has(snapshotId)
      return changeIf(found, { sandbox, op: 'forget', snapshotId })
    })
  readonly exportSandbox: Store['exportSandbox'] = async (sandbox) =>
    this.#committer.read((state) => exportSandbox(state, sandbox))
  readonly importSandbox: Store['importSandbox'] = async (sandbox, content, condition) => {
    const isAllowed = (state: StateData) =>
      condition === 'always' || Math.max(...Object.values(state.sandbox(sandbox).data.count())) === 0
    if (!(await this.#committer.read(isAllowed))) return false
    const change = { sandbox, op: 'import', state: content, data: await SandboxData.load(content) } as const
    await this.#committer.prepareImport?.(change)
    return this.#replaceData(sandbox, (state) => changeIf(isAllowed(state), change))
  }
  readonly listSandboxes: Store['listSandboxes'] = async () => this.#committer.read(listSandboxes)
  readonly deleteSandbox: Store['deleteSandbox'] = async (sandbox) => {
    const isDeleted = await this.#committer.commit((state) =>
      changeIf(state.sandboxes.has(sandbox), { sandbox, op: 'delete' }),
    )
    this.#counters().reset(sandbox) // a sandbox without stored data can have counters
    return isDeleted
  }
  readonly reset: Store['reset'] = async (sandbox) => {
    await this.#committer.commit((state) => changeIf(state.sandboxes.has(sandbox), { sandbox, op: 'reset' }))
    this.#counters().reset(sandbox)
  }
  readonly size: Store['size'] = async () => addUpRecords(await this.listSandboxes())
  readonly fork: Store['fork'] = () =>
    new BaseStore(
      {
        read: (query) => this.#committer.read(query),
        commit: async (command) => this.#committer.read((state) => command(state).result),
        close: async () => {},
      },
      () => this.#counters().copy(),
    )
  readonly findLoss: Store['findLoss'] = async () => this.#committer.findLoss?.()
  readonly findOutage: Store['findOutage'] = async () => undefined // no other server has the state
  readonly close: Store['close'] = () => this.#committer.close()

  #read<T>(sandbox: string, query: (data: SandboxData) => T | Promise<T>): T | Promise<T> {
    return this.#committer.read((state) => query(state.sandbox(sandbox).data))
  }

  /** Commits a command that replaces all data of the sandbox, and discards the sandbox's counters. */
  async #replaceData(sandbox: string, command: commands.Command<boolean>): Promise<boolean> {
    const isReplaced = await this.#committer.commit(command)
    if (isReplaced) this.#counters().reset(sandbox)
    return isReplaced
  }
}
