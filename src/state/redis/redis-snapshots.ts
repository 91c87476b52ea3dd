import { deriveUuid } from '../../core/seeded.ts'
import { collections, countEach } from '../collections/index.ts'
import type { SnapshotHead, WriteContext } from '../records.ts'
import type { Snapshot } from '../store.ts'
import type { RedisReply } from './connection.ts'
import { readJson } from './damage.ts'
import { countField } from './keys.ts'
import { CREATE_SNAPSHOT, LIST_SNAPSHOTS } from './lua/sandbox-scripts.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** Returns the fields with the numbers of records of all collections. */
export const countFields = (): readonly string[] => collections.map(({ name }) => countField(name))

/** Reads the numbers of records of all collections, in the order of `countFields`. */
export function readCounts(numbers: readonly RedisReply[]) {
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
