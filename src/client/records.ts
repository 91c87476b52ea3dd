import { type ControlQuery, type ControlSchemas, dataOf, done, type Transport } from './transport.ts'

/** The records of a sandbox (events, prompts and quality settings), and snapshots of them. */
export interface SandboxRecords {
  /** Lists the recorded events, by default oldest first. Events dropped by sampling are included and marked. */
  events(filter?: EventFilter): Promise<readonly ControlSchemas['StoredEvent'][]>
  /** Lists the prompts with all their versions. */
  prompts(): Promise<readonly ControlSchemas['StoredPrompt'][]>
  /** Activates a version of a prompt, as the service's user interface does. */
  activateVersion(promptId: string, versionId: string): Promise<void>
  /** Returns the event weight, each product's PQI and each conversation's CQI. */
  quality(): Promise<ControlSchemas['Quality']>
  /** Sets the event weight (0 to 1) and returns the recalculated indexes. */
  setQuality(weight: number): Promise<ControlSchemas['Quality']>
  /** Copies events, prompts and quality settings. To restore them, call `snapshot.restore()`. */
  snapshot(name?: string): Promise<SandboxSnapshot>
  snapshots(): Promise<readonly SandboxSnapshot[]>
  /** Returns events, prompts and quality settings in the format that `import` and `--seed-state` accept. */
  export(): Promise<ControlSchemas['Export']>
  /** Replaces events, prompts and quality settings with those of an export. */
  import(exported: ControlSchemas['Export']): Promise<void>
}

/** Filters for events, and the order in which to list them. An absent filter matches every event. */
interface EventFilter {
  readonly eventType?: string
  readonly productId?: string
  readonly conversationId?: string
  readonly externalConversationId?: string
  readonly insertId?: string
  /** `true` selects only the events that sampling dropped, and `false` selects only the other events. */
  readonly sampledOut?: boolean
  readonly order?: 'oldest' | 'newest'
}

/** A copy of a sandbox's records at one point in time. */
interface SandboxSnapshot extends Readonly<ControlSchemas['Snapshot']> {
  /** Replaces the sandbox's records with the copy. Rate limit windows, sequences and rule counts restart. */
  restore(): Promise<void>
  delete(): Promise<void>
}

const pageSize = 10_000

/** Creates a sandbox client's methods for events, prompts, quality settings and snapshots. @internal */
export function sandboxRecords(transport: Transport, sandbox: string): SandboxRecords {
  const params = { query: { sandbox } }
  return {
    events: (filter = {}) => listEvents(transport, { ...filter, sandbox }),
    prompts: async () => (await dataOf(transport.GET('/prompts', { params }))).prompts,
    activateVersion: (promptId, versionId) => {
      const versionParams = { ...params, path: { promptId, versionId } }
      return done(transport.POST('/prompts/{promptId}/versions/{versionId}/activate', { params: versionParams }))
    },
    quality: () => dataOf(transport.GET('/quality', { params })),
    setQuality: (weight) => dataOf(transport.PUT('/quality', { params, body: { weight } })),
    async snapshot(name) {
      const body = name === undefined ? {} : { name }
      return withActions(transport, sandbox, await dataOf(transport.POST('/snapshots', { params, body })))
    },
    async snapshots() {
      const { snapshots } = await dataOf(transport.GET('/snapshots', { params }))
      return snapshots.map((snapshot) => withActions(transport, sandbox, snapshot))
    },
    export: () => dataOf(transport.GET('/export', { params })),
    import: (exported) => done(transport.POST('/import', { params, body: { ...exported } })),
  }
}

async function listEvents(transport: Transport, query: ControlQuery<'listEvents'>) {
  const events: ControlSchemas['StoredEvent'][] = []
  let total = 0
  do {
    const params = { query: { ...query, offset: events.length, limit: pageSize } }
    const page = await dataOf(transport.GET('/events', { params }))
    events.push(...page.events)
    total = page.events.length === 0 ? 0 : page.total
  } while (events.length < total)
  return events
}

function withActions(transport: Transport, sandbox: string, snapshot: ControlSchemas['Snapshot']): SandboxSnapshot {
  const params = { path: { snapshotId: snapshot.snapshotId }, query: { sandbox } }
  return {
    ...snapshot,
    restore: () => done(transport.POST('/snapshots/{snapshotId}/restore', { params })),
    delete: () => done(transport.DELETE('/snapshots/{snapshotId}', { params })),
  }
}
