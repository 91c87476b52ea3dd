import { StoreUnavailableError } from '../store.ts'
import type { RedisConnection, Script } from './connection.ts'
import { sharedKeys } from './keys.ts'

/** The mark of the format of all keys. It changes with every change of the format, also with that of the state file. */
export const FORMAT_MARK = 'convsim state 1'

/** Marks a state with its format. KEYS: format. ARGV: the mark. Returns the mark that it has. */
const MARK_FORMAT = `
local found = redis.call('GET', KEYS[1])
if found and found ~= ARGV[1] then return found end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]`

const markScript: Script = { text: MARK_FORMAT, keys: 1 }

/** Marks the state with its format. Returns a sentence about a state of another format. Undefined: the format is ours. */
export async function findFormatFault(
  connection: RedisConnection,
  prefix: string,
): Promise<string | undefined> {
  const found = await connection.run(markScript, [sharedKeys(prefix).format], [FORMAT_MARK])
  if (found === FORMAT_MARK) return undefined
  return `the keys with the prefix "${prefix}" have the format "${String(found)}", and this version knows "${FORMAT_MARK}". Use the version that wrote them, or another prefix (--state-prefix).`
}

/** Finds why Redis takes no changes at present, by writing the mark of the format again; undefined: it takes them. */
export async function findWriteFault(
  connection: RedisConnection,
  { prefix, shown }: { readonly prefix: string; readonly shown: string },
): Promise<string | undefined> {
  try {
    const fault = await findFormatFault(connection, prefix)
    return fault && `The state in ${shown} cannot be used: ${fault}`
  } catch (error) {
    if (error instanceof StoreUnavailableError) return error.message
    throw error
  }
}
