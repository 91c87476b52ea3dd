import { deriveUuid } from '../../core/seeded.ts'
import { collections, countEach } from '../collections/index.ts'
import type { SnapshotHead, WriteContext } from '../records.ts'
import type { SandboxSummary, Snapshot } from '../store.ts'
import type { RedisReply } from './connection.ts'
import { countField, sandboxKeys, sharedKeys } from './keys.ts'
import { COUNT_RECORDS, CREATE_SNAPSHOT, LIST_SNAPSHOTS } from './lua/sandbox-scripts.ts'
import { readJson, type SandboxScripts } from './sandbox-scripts.ts'

/** Returns the fields with the numbers of records of all collections. */
const countFields = (): readonly string[] => collections.map(({ name }) => countField(name))

/** Reads the numbers of records of all collections, in the order of `countFields`. */
function readCounts(numbers: readonly RedisReply[]) {
  return countEach((collection) => Number(numbers[collections.indexOf(collection)] ?? 0))
}

export async function createSnapshot(
  scripts: SandboxScripts,
  { sandbox, seed, now }: WriteContext,
  name: string | undefined,
): Promise<Snapshot> {
  const headOf = (count: number): SnapshotHead => ({
    snapshotId: deriveUuid([seed, sandbox, 'snapshot', count]),
    ...(name !== undefined && { name }),
    createdAt: new Date(now).toISOString(),
  })
  const reply = await scripts.offer(CREATE_SNAPSHOT, sandbox, `snapshot ${sandbox}`, (count) => {
    const head = headOf(count)
    return [count, head.snapshotId, JSON.stringify(head), ...countFields()]
  })
  const [, taken, ...counts] = reply
  return { ...headOf(Number(taken)), ...readCounts(counts) }
}

export async function listSnapshots(scripts: SandboxScripts, sandbox: string): Promise<readonly Snapshot[]> {
  const reply = await scripts.run(LIST_SNAPSHOTS, sandbox, countFields())
  const width = collections.length + 1
  return Array.from({ length: reply.length / width }, (_, index) => {
    const [head, ...counts] = reply.slice(index * width, (index + 1) * width)
    return { ...readJson<SnapshotHead>(sandbox, 'snapshots', head), ...readCounts(counts) }
  })
}

/** The number of sandboxes that are counted by one script, which takes about a millisecond. */
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
  const fields = countFields()
  const summaries: SandboxSummary[] = []
  for (let from = 0; from < names.length; from += SANDBOXES_AT_ONCE) {
    const some = names.slice(from, from + SANDBOXES_AT_ONCE)
    const heads = some.map((name) => sandboxKeys(scripts.prefix, name).head)
    const reply = await scripts.connection.run(COUNT_RECORDS, [], [fields.length, ...fields, ...heads])
    const numbers = reply as RedisReply[] // the script returns a list
    const width = collections.length + 2
    for (const [index, name] of some.entries()) {
      const [state, snapshots, ...counts] = numbers.slice(index * width, (index + 1) * width)
      if (state === 'data') summaries.push({ name, ...readCounts(counts), snapshots: Number(snapshots) })
    }
  }
  return summaries
}
