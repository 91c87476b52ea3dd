import type { RedisConnection, Script } from './connection.ts'
import { isErrorReply } from './error-reply.ts'
import { sharedKeys } from './keys.ts'

/**
 * Notes the inputs of the replica that started last. KEYS: inputs. ARGV: the digest. Returns the digest of the one
 * before, or empty.
 */
const NOTE_INPUTS: Script = {
  keys: 1,
  text: `
local before = redis.call('GET', KEYS[1]) or ''
redis.call('SET', KEYS[1], ARGV[1])
return before`,
}

/**
 * Notes the digest of this replica's inputs. Returns true if the replica that started before it had others, and any is
 * still connected.
 */
export async function noteInputs(
  connection: RedisConnection,
  prefix: string,
  digest: string,
): Promise<boolean> {
  const before = await connection.run(NOTE_INPUTS, [sharedKeys(prefix).inputs], [digest])
  return before !== '' && before !== digest && (await isOtherConnected(connection))
}

/**
 * Returns true if another process has a connection of the same name. A Redis that does not list its clients for this
 * user cannot tell.
 */
async function isOtherConnected(connection: RedisConnection): Promise<boolean> {
  try {
    const clients = String(await connection.call('client', 'LIST', 'TYPE', 'normal'))
    return clients.split('\n').filter((line) => line.includes(` name=${connection.name} `)).length > 1
  } catch (error) {
    if (error instanceof Error && isErrorReply(error.cause)) return false
    throw error
  }
}
