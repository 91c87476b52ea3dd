import type { RedisConnection, Script } from './connection.ts'
import type { SandboxKeys } from './keys.ts'
import { STORE_SNAPSHOT } from './scripts.ts'
import { type SandboxContents, serializeSnapshot } from './snapshot-text.ts'

const script: Script = { text: STORE_SNAPSHOT, keys: 3 }

/** A sandbox as it is after the first `seq` changes of a log. */
interface SnapshotSource {
  readonly sandbox: string
  /** The id of the log. */
  readonly incarnation: string
  readonly seq: number
  readonly contents: SandboxContents
}

/** Stores a snapshot in the place of the changes that it contains, unless another replica was faster. Returns its length in characters. */
export async function storeSnapshot(
  connection: RedisConnection,
  { log, head, snapshot }: SandboxKeys,
  { sandbox, incarnation, seq, contents }: SnapshotSource,
): Promise<number> {
  const text = await serializeSnapshot(sandbox, contents)
  await connection.run(script, [log, head, snapshot], [incarnation, seq, text])
  return text.length
}
