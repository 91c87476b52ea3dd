/**
 * The state in Redis, shared by several replicas. Processes keep no copies: the methods run Redis commands and the
 * scripts in `lua/`. `keys.ts` describes the stored data, and `open-redis-store.ts` opens the connection.
 */
import { dayOf, isoDateOf } from '../../base/core/instant.ts'
import { encodePath } from '../../base/core/seeded.ts'
import {
  createStoredEvent,
  ImpactIndex,
  impactSumOf,
  insertKey,
  payloadDiffers,
  sampleRateOf,
} from '../collections/events.ts'
import { collections, countEach, type RecordCounts } from '../collections/index.ts'
import { createPromptHead, createVersion, externalKey } from '../collections/prompts.ts'
import { addUpRecords } from '../queries.ts'
import { cloneJson, type DayImpact, DEFAULT_QUALITY, type ImpactQuery, type Occurrences, uuidKey } from '../records.ts'
import type { SandboxSummary, Snapshot, Store } from '../store.ts'
import type { RedisConnection, RedisReply } from './connection.ts'
import { importContent } from './import-content.ts'
import { countField, impactField, sharedKeys } from './keys.ts'
import { ACTIVATE_VERSION, ADD_VERSION, RECORD_EVENT } from './lua/record-scripts.ts'
import { CREATE_SNAPSHOT, PUT_FIELD, RESET, USE_SNAPSHOT } from './lua/sandbox-scripts.ts'
import { exportSandbox, listEvents, listPrompts, parseStoredEvent } from './read-content.ts'
import { createCounters } from './redis-counters.ts'
import { parseField, parseStoredJson, type SandboxScripts } from './sandbox-scripts.ts'

const noOccurrences: Occurrences = new Map()

/** Creates the store in Redis. `server`: the methods that concern the Redis server, not a sandbox. */
export function createRedisStore(scripts: SandboxScripts, server: Pick<Store, 'findOutage' | 'close'>): Store {
  return {
    ...server,
    ...createRecorder(scripts),
    ...createCounters(scripts),
    ...createSnapshots(scripts),
    listEvents: (sandbox, query = {}) => listEvents(scripts, sandbox, query),
    listPrompts: (sandbox) => listPrompts(scripts, sandbox),
    eventImpact: (sandbox, query) => eventImpact(scripts, sandbox, query),
    getQuality: async (sandbox) => {
      const [text] = await scripts.readFields(sandbox, 'quality')
      return Object.freeze(parseField(sandbox, 'quality settings', text, DEFAULT_QUALITY))
    },
    putQuality: async (sandbox, settings) => {
      await scripts.run(PUT_FIELD, sandbox, '', 'quality', JSON.stringify(settings))
    },
    exportSandbox: (sandbox) => exportSandbox(scripts, sandbox),
    importSandbox: (sandbox, content, condition) => importContent(scripts, sandbox, content, condition),
    listSandboxes: () => listSandboxes(scripts),
    deleteSandbox: async (sandbox) => (await scripts.run(RESET, sandbox, 'all'))[0] === 'deleted',
    reset: async (sandbox) => {
      await scripts.run(RESET, sandbox, 'data')
    },
    size: async () => addUpRecords(await listSandboxes(scripts)),
    fork: () => createRedisStore(scripts.fork(), { ...server, close: async () => {} }),
    findLoss: async () => undefined,
  }
}

/**
 * Creates the methods that write records. Scripts derive values that depend on earlier records, such as the ID of an
 * event that repeats an earlier payload. The scripts return counts, from which these methods derive the same values.
 */
function createRecorder(scripts: SandboxScripts): Pick<Store, 'recordEvent' | 'addPromptVersion' | 'activateVersion'> {
  return {
    recordEvent: async (context, original) => {
      const { sandbox, seed } = context
      const draft = cloneJson(original)
      const first = createStoredEvent(context, draft, noOccurrences)
      const { eventId, sampledOut: _, ...event } = first
      const { product, day, units } = impactSumOf(first)
      const key = insertKey(draft)
      const [outcome, value, replays] = await scripts.run(
        RECORD_EVENT,
        sandbox,
        encodePath([seed, sandbox]),
        key === undefined ? '' : JSON.stringify(key),
        eventId,
        impactField(product, day),
        units.toFixed(0),
        sampleRateOf(draft),
        JSON.stringify(event),
      )
      if (outcome === 'stored') {
        const occurrences = new Map([[eventId, Number(value)]])
        const created = value === 0 ? first : createStoredEvent(context, draft, occurrences)
        return { event: created, replayed: false, payloadDiffers: false }
      }
      const stored = parseStoredEvent(sandbox, value, replays)
      return { event: stored, replayed: true, payloadDiffers: payloadDiffers(stored, draft) }
    },
    addPromptVersion: async (context, original) => {
      const { sandbox, seed } = context
      const draft = cloneJson(original)
      const { promptId: first, ...head } = createPromptHead(context, draft, noOccurrences)
      const prompt = { ...head, versions: [] }
      const { versionId, version: number, componentIds, active, ...version } = createVersion(context, draft, first, 0)
      const args = [externalKey(draft) ?? '', first, JSON.stringify(prompt), JSON.stringify(version)]
      const [id, earlier] = await scripts.run(ADD_VERSION, sandbox, encodePath([seed, sandbox]), ...args)
      const promptId = String(id)
      return { promptId, version: createVersion(context, draft, promptId, Number(earlier)) }
    },
    activateVersion: async (sandbox, promptId, versionId) =>
      (await scripts.run(ACTIVATE_VERSION, sandbox, promptId, versionId))[0] === 'activated',
  }
}

function createSnapshots(
  scripts: SandboxScripts,
): Pick<Store, 'createSnapshot' | 'listSnapshots' | 'restoreSnapshot' | 'deleteSnapshot'> {
  return {
    createSnapshot: async ({ sandbox, seed, now }, name) => {
      const head = JSON.stringify({ name, createdAt: new Date(now).toISOString() })
      const names = collections.map((collection) => collection.name)
      const [text] = await scripts.run(CREATE_SNAPSHOT, sandbox, encodePath([seed, sandbox]), head, ...names)
      return parseSnapshot(sandbox, text).snapshot
    },
    listSnapshots: async (sandbox) => {
      const texts = (await scripts.connection.call('hvals', scripts.keyOf(sandbox, 'snapshots'))) as RedisReply[]
      const parsed = texts.map((text) => parseSnapshot(sandbox, text))
      return parsed.sort((one, other) => one.taken - other.taken).map(({ snapshot }) => snapshot)
    },
    restoreSnapshot: async (sandbox, snapshotId) =>
      (await scripts.run(USE_SNAPSHOT, sandbox, 'restore', snapshotId))[0] === 'done',
    deleteSnapshot: async (sandbox, snapshotId) =>
      (await scripts.run(USE_SNAPSHOT, sandbox, 'delete', snapshotId))[0] === 'done',
  }
}

function parseSnapshot(sandbox: string, text: RedisReply | undefined) {
  const { taken, ...stored } = parseStoredJson<Snapshot & { readonly taken: number }>(sandbox, 'snapshots', text)
  const snapshot: Snapshot = { ...stored, ...countEach(({ name }) => stored[name as keyof RecordCounts] ?? 0) }
  return { taken, snapshot }
}

async function eventImpact(
  scripts: SandboxScripts,
  sandbox: string,
  query: ImpactQuery,
): Promise<ReadonlyMap<string, DayImpact>> {
  const productDays = listProductDays(query)
  if (productDays.length === 0) return new Map()
  const names = productDays.map(({ product, day }) => impactField(product, day))
  const counts = names.map((name) => `events of ${name}`)
  const found = await scripts.connection.call('hmget', scripts.keyOf(sandbox, 'impact'), ...names, ...counts)
  const values = (found as (string | null)[]).map(Number)
  const index = new ImpactIndex()
  for (const [position, productDay] of productDays.entries()) {
    const [units = 0, events = 0] = [values[position], values[names.length + position]]
    if (events > 0) index.add({ ...productDay, units, events })
  }
  return index.query(query)
}

function listProductDays({ productIds, from, to }: ImpactQuery) {
  const first = dayOf(Date.parse(from))
  const length = Math.max(0, dayOf(Date.parse(to)) - first + 1)
  const days = Array.from({ length }, (_, offset) => isoDateOf(first + offset))
  return [...new Set(productIds.map(uuidKey))].flatMap((product) => days.map((day) => ({ product, day })))
}

export async function listSandboxNames(connection: RedisConnection, prefix: string, limit = 0): Promise<string[]> {
  const names = await connection.call('zrange', `${sharedKeys(prefix)}sandboxes`, -limit, -1)
  return (names as string[]).map((name) => JSON.parse(name))
}

async function listSandboxes(scripts: SandboxScripts): Promise<readonly SandboxSummary[]> {
  const names = await listSandboxNames(scripts.connection, scripts.prefix)
  const summaries = await Promise.all(names.map((name) => summarize(scripts, name)))
  return summaries.filter((summary) => summary !== undefined)
}

async function summarize(scripts: SandboxScripts, name: string): Promise<SandboxSummary | undefined> {
  const fields = collections.map((collection) => countField(collection.name))
  const [[generation, ...counts], snapshots] = await Promise.all([
    scripts.readFields(name, 'generation', ...fields),
    scripts.connection.call('hlen', scripts.keyOf(name, 'snapshots')),
  ])
  const count = countEach((collection) => Number(counts[collections.indexOf(collection)]))
  return generation ? { name, ...count, snapshots: Number(snapshots) } : undefined
}
