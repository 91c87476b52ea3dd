import { deriveUuid, encodePath } from '../../core/seeded.ts'
import { collections, countEach } from '../collections/index.ts'
import type { SnapshotHead, WriteContext } from '../records.ts'
import type { SandboxSummary, Snapshot } from '../store.ts'
import type { RedisReply } from './connection.ts'
import { countField, sandboxKeys, sharedKeys } from './keys.ts'
import { CREATE_SNAPSHOT, LIST_SNAPSHOTS } from './lua/sandbox-scripts.ts'
import { readJson, type SandboxScripts } from './sandbox-scripts.ts'

/** Returns the fields with the numbers of records of all collections. */
const countFields = (): readonly string[] => collections.map(({ name }) => countField(name))

/** Reads the numbers of records of all collections, in the order of `countFields`; null and empty texts are 0. */
function readCounts(numbers: readonly RedisReply[]) {
  return countEach((collection) => Number(numbers[collections.indexOf(collection)] ?? 0))
}

export async function createSnapshot(
  scripts: SandboxScripts,
  { sandbox, seed, now }: WriteContext,
  name: string | undefined,
): Promise<Snapshot> {
  const head = { ...(name !== undefined && { name }), createdAt: new Date(now).toISOString() }
  const args = [encodePath([seed, sandbox]), JSON.stringify(head), ...countFields()]
  const [taken, ...counts] = await scripts.run(CREATE_SNAPSHOT, sandbox, args)
  return { snapshotId: deriveUuid([seed, sandbox, 'snapshot', Number(taken)]), ...head, ...readCounts(counts) }
}

export async function listSnapshots(scripts: SandboxScripts, sandbox: string): Promise<readonly Snapshot[]> {
  const reply = await scripts.run(LIST_SNAPSHOTS, sandbox, countFields())
  return (reply as [string, ...RedisReply[]][]).map(([head, ...counts]) => ({
    ...readJson<SnapshotHead>(sandbox, 'snapshots', head),
    ...readCounts(counts),
  }))
}

/** The number of sandboxes that are counted at once, which takes some milliseconds. */
const SANDBOXES_AT_ONCE = 200

/**
 * Lists the names of the sandboxes that Redis has anything of, in the order of their creation. `limit`: the number of
 * the newest that are listed; default: all.
 */
export async function listNames({ connection, prefix }: SandboxScripts, limit = 0): Promise<string[]> {
  const names = await connection.call('zrange', sharedKeys(prefix).sandboxes, -limit, -1)
  return (names as string[]).map((name) => JSON.parse(name))
}

/** Counts the records of all sandboxes that hold data, a few at a time, each as it is when it is counted. */
export async function listSandboxes(scripts: SandboxScripts): Promise<readonly SandboxSummary[]> {
  const names = await listNames(scripts)
  const summaries: (SandboxSummary | undefined)[] = []
  for (let from = 0; from < names.length; from += SANDBOXES_AT_ONCE) {
    const some = names.slice(from, from + SANDBOXES_AT_ONCE)
    summaries.push(...(await Promise.all(some.map((name) => summarize(scripts, name)))))
  }
  return summaries.filter((summary) => summary !== undefined)
}

/** Counts the records of a sandbox. Returns undefined if it holds no data. */
async function summarize(scripts: SandboxScripts, name: string): Promise<SandboxSummary | undefined> {
  const [[segments, ...counts], snapshots] = await Promise.all([
    scripts.readHead(name, 'segments', ...countFields()),
    scripts.connection.call('zcard', sandboxKeys(scripts.prefix, name).snapshots),
  ])
  return segments ? { name, ...readCounts(counts), snapshots: Number(snapshots) } : undefined
}
