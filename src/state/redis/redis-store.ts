/**
 * The state in Redis, which several replicas share. No process has a copy: each method is one script (`lua/`) or a few,
 * which `sandbox-scripts.ts` runs. `keys.ts` describes what is stored, `open-redis-store.ts` connects.
 */
import { encodePath } from '../../base/core/seeded.ts'
import { sleep } from '../../base/core/timers.ts'
import { cloneJson } from '../clone.ts'
import { collections, countEach } from '../collections/index.ts'
import { createStoredEvent, insertKey, payloadDiffers, sampleRateOf } from '../events.ts'
import { impactOfEvent } from '../memory/impact.ts'
import type { Occurrences } from '../occurrences.ts'
import { createPromptHead, createVersion, externalKey } from '../prompts.ts'
import { addUpRecords } from '../queries.ts'
import { DEFAULT_QUALITY } from '../records.ts'
import type { SandboxSummary, Snapshot, Store } from '../store.ts'
import type { RedisConnection, RedisReply } from './connection.ts'
import { updateRecord } from './head-fields.ts'
import { createImpact, impactField } from './impact.ts'
import { importContent } from './import-content.ts'
import { countField, recordsField, sandboxKeys, sharedKeys } from './keys.ts'
import { ACTIVATE_VERSION, ADD_VERSION, RECORD_EVENT } from './lua/record-scripts.ts'
import { CREATE_SNAPSHOT, PUT_FIELDS, RESET, USE_SNAPSHOT } from './lua/sandbox-scripts.ts'
import { exportSandbox, listEvents, listPrompts, parseStoredEvent } from './read-content.ts'
import { createCounters } from './redis-counters.ts'
import { parseField, parseStoredJson, type SandboxScripts } from './sandbox-scripts.ts'

const noOccurrences: Occurrences = new Map()

/** The parts that a store works with. */
interface RedisStoreDeps extends Pick<Store, 'findOutage' | 'close'> {
  readonly scripts: SandboxScripts
}

/** Creates the store in Redis. */
export function createRedisStore(deps: RedisStoreDeps): Store {
  const { scripts, findOutage, close } = deps
  return {
    ...createRecorder(scripts),
    ...createCounters(scripts),
    ...createSnapshots(scripts),
    listEvents: (sandbox, query = {}) => listEvents(scripts, sandbox, query),
    listPrompts: (sandbox) => listPrompts(scripts, sandbox),
    eventImpact: createImpact(scripts),
    getQuality: async (sandbox) => {
      const fresh = scripts.freshHead(sandbox)
      const [text] = fresh ? [fresh.quality] : await scripts.readFields(sandbox, 'quality')
      return Object.freeze(parseField(sandbox, 'quality settings', text, DEFAULT_QUALITY))
    },
    putQuality: async (sandbox, settings) => {
      await scripts.change(PUT_FIELDS, sandbox, '', 'data', 'quality', JSON.stringify(settings))
    },
    listRecords: async (sandbox, { name }) => {
      const [text] = await scripts.readFields(sandbox, recordsField(name))
      return parseField(sandbox, 'records', text, [])
    },
    updateRecord: (sandbox, collection, key, update) => updateRecord(scripts, sandbox, collection, key, update),
    exportSandbox: (sandbox) => exportSandbox(scripts, sandbox),
    importSandbox: (sandbox, content, condition) => importContent(scripts, sandbox, content, condition),
    listSandboxes: () => listSandboxes(scripts),
    deleteSandbox: async (sandbox) => (await deleteData(scripts, sandbox, 'all')) === 'deleted',
    reset: async (sandbox) => {
      await deleteData(scripts, sandbox, 'data')
    },
    size: async () => addUpRecords(await listSandboxes(scripts)),
    fork: () => createRedisStore({ ...deps, scripts: scripts.fork(), close: async () => {} }),
    findLoss: async () => undefined,
    findOutage,
    close,
  }
}

/**
 * Creates the writes of records. What depends on earlier records, such as the id of an event that has equals, is
 * derived by the scripts, and from the count that they return here once more.
 */
function createRecorder(scripts: SandboxScripts): Pick<Store, 'recordEvent' | 'addPromptVersion' | 'activateVersion'> {
  return {
    recordEvent: async (context, given) => {
      const { sandbox, seed } = context
      const draft = cloneJson(given)
      const first = createStoredEvent(context, draft, noOccurrences)
      const { eventId, sampledOut: _, ...event } = first
      const { product, day, units } = impactOfEvent(first)
      const key = insertKey(draft)
      const [outcome, value, replays] = await scripts.run(RECORD_EVENT, sandbox, [
        encodePath([seed, sandbox]),
        key === undefined ? '' : JSON.stringify(key),
        eventId,
        impactField(product, day),
        units.toFixed(0),
        sampleRateOf(draft),
        JSON.stringify(event),
      ])
      if (outcome === 'stored') {
        const occurrences = new Map([[eventId, Number(value)]])
        const created = value === 0 ? first : createStoredEvent(context, draft, occurrences)
        return { event: created, replayed: false, payloadDiffers: false }
      }
      const stored = parseStoredEvent(sandbox, value, replays)
      return { event: stored, replayed: true, payloadDiffers: payloadDiffers(stored, draft) }
    },
    addPromptVersion: async (context, given) => {
      const { sandbox, seed } = context
      const draft = cloneJson(given)
      const { promptId: first, ...prompt } = createPromptHead(context, draft, noOccurrences)
      const { versionId, version: number, componentIds, ...version } = createVersion(context, draft, first, 0)
      const args = [externalKey(draft) ?? '', first, JSON.stringify(prompt), JSON.stringify(version)]
      const [id, earlier] = await scripts.run(ADD_VERSION, sandbox, [encodePath([seed, sandbox]), ...args])
      const promptId = String(id)
      return { promptId, version: createVersion(context, draft, promptId, Number(earlier)) }
    },
    activateVersion: async (sandbox, promptId, versionId) =>
      (await scripts.change(ACTIVATE_VERSION, sandbox, promptId, versionId)) === 'activated',
  }
}

function createSnapshots(
  scripts: SandboxScripts,
): Pick<Store, 'createSnapshot' | 'listSnapshots' | 'restoreSnapshot' | 'deleteSnapshot'> {
  return {
    createSnapshot: async ({ sandbox, seed, now }, name) => {
      const head = JSON.stringify({ name, createdAt: new Date(now).toISOString() })
      const names = collections.map((collection) => collection.name)
      const args = [encodePath([seed, sandbox]), head, ...names]
      return parseSnapshot(sandbox, await scripts.change(CREATE_SNAPSHOT, sandbox, ...args)).snapshot
    },
    listSnapshots: async (sandbox) => {
      const { connection, prefix } = scripts
      const texts = (await connection.call('hvals', `${sandboxKeys(prefix, sandbox)}snapshots`)) as RedisReply[]
      const parsed = texts.map((text) => parseSnapshot(sandbox, text))
      return parsed.sort((one, other) => one.taken - other.taken).map(({ snapshot }) => snapshot)
    },
    restoreSnapshot: async (sandbox, snapshotId) =>
      (await scripts.change(USE_SNAPSHOT, sandbox, 'restore', snapshotId)) === 'done',
    deleteSnapshot: async (sandbox, snapshotId) =>
      (await scripts.change(USE_SNAPSHOT, sandbox, 'delete', snapshotId)) === 'done',
  }
}

/**
 * Deletes data, and waits until Redis has freed their memory, at most a second, so that a full one takes changes.
 * Returns the first part of the script's reply.
 */
async function deleteData(scripts: SandboxScripts, sandbox: string, part: 'data' | 'all') {
  const outcome = await scripts.change(RESET, sandbox, part)
  for (let questions = 0; questions < 100 && !scripts.isFork; questions += 1) {
    const info = String(await scripts.connection.call('info', 'memory'))
    if (!/^lazyfree_pending_objects:[1-9]/m.test(info)) break
    await sleep(10)
  }
  return outcome
}

/** Parses the description of a snapshot, which has the snapshot's number among those of the sandbox. */
function parseSnapshot(sandbox: string, text: RedisReply | undefined) {
  const { taken, ...stored } = parseStoredJson<Snapshot & { readonly taken: number }>(sandbox, 'snapshots', text)
  const counts: Readonly<Record<string, unknown>> = { ...stored }
  const snapshot: Snapshot = { ...stored, ...countEach(({ name }) => Number(counts[name] ?? 0)) }
  return { taken, snapshot }
}

/** The number of sandboxes that are counted at once, which takes some milliseconds. */
const SANDBOXES_AT_ONCE = 200

/**
 * Lists the names of the sandboxes that Redis has anything of, in the order of their creation. `limit`: the number of
 * the newest that are listed; default: all.
 */
export async function listNames(connection: RedisConnection, prefix: string, limit = 0): Promise<string[]> {
  const names = await connection.call('zrange', `${sharedKeys(prefix)}sandboxes`, -limit, -1)
  return (names as string[]).map((name) => JSON.parse(name))
}

/** Counts the records of all sandboxes that hold data, a few at a time, each as it is when it is counted. */
async function listSandboxes(scripts: SandboxScripts): Promise<readonly SandboxSummary[]> {
  const names = await listNames(scripts.connection, scripts.prefix)
  const summaries: (SandboxSummary | undefined)[] = []
  for (let from = 0; from < names.length; from += SANDBOXES_AT_ONCE) {
    const some = names.slice(from, from + SANDBOXES_AT_ONCE)
    summaries.push(...(await Promise.all(some.map((name) => summarize(scripts, name)))))
  }
  return summaries.filter((summary) => summary !== undefined)
}

/** Counts the records of a sandbox. Returns undefined if it holds no data. */
async function summarize(scripts: SandboxScripts, name: string): Promise<SandboxSummary | undefined> {
  const fields = collections.map((collection) => countField(collection.name))
  const [[generation, ...counts], snapshots] = await Promise.all([
    scripts.readFields(name, 'generation', ...fields),
    scripts.connection.call('hlen', `${sandboxKeys(scripts.prefix, name)}snapshots`),
  ])
  const count = countEach((collection) => Number(counts[collections.indexOf(collection)]))
  return generation ? { name, ...count, snapshots: Number(snapshots) } : undefined
}
