import { collections } from '../collections/index.ts'
import type { SandboxSummary } from '../store.ts'
import type { RedisReply } from './connection.ts'
import { sandboxKeys, sharedKeys } from './keys.ts'
import { COUNT_RECORDS } from './lua/sandbox-scripts.ts'
import { countFields, readCounts } from './redis-snapshots.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

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
