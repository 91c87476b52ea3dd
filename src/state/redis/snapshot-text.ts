import type { JsonObject } from '../../core/json.ts'
import { nextTurn } from '../../core/timers.ts'
import { formatTrailer } from '../file/checksum.ts'
import { emptyCheckpoint, parseCheckpoint, serializeCheckpoint } from '../file/format.ts'
import { parseStateText } from '../file/state-document.ts'
import type { SandboxEntry } from '../memory/state-data.ts'
import type { StateChecks } from '../state-checks.ts'

/** Everything that the log of a sandbox leads to. */
export interface SandboxContents {
  /** Undefined: the sandbox holds no data. */
  readonly entry: SandboxEntry | undefined
  /** The record beside the data. Undefined: there is none. */
  readonly shared: JsonObject | undefined
}

/** The number of pieces that are serialized in one turn of the event loop, which takes about a millisecond. */
const PIECES_PER_TURN = 1000

/**
 * Returns a snapshot as text, in several turns of the event loop: the shared record on the first line, then the sandbox in the format of the
 * state file. The entry must not change meanwhile.
 */
export async function serializeSnapshot(
  sandbox: string,
  { entry, shared }: SandboxContents,
): Promise<string> {
  const sandboxes = new Map(entry === undefined ? [] : [[sandbox, entry] as const])
  const parts = [`${JSON.stringify(shared ?? null)}\n`]
  let pieces = 0
  for (const piece of serializeCheckpoint({ ...emptyCheckpoint(), sandboxes })) {
    parts.push(piece)
    pieces += 1
    if (pieces % PIECES_PER_TURN === 0) await nextTurn()
  }
  return parts.join('') + formatTrailer(0) // Redis guards its own data, so nothing reads the checksum
}

/** Parses a snapshot. Throws if it is not one. */
export function parseSnapshot(sandbox: string, text: string, checks: StateChecks): SandboxContents {
  const end = text.indexOf('\n')
  const shared: JsonObject | null = JSON.parse(text.slice(0, end)) // written by `serializeSnapshot`
  const { sandboxes } = parseCheckpoint(parseStateText(text.slice(end + 1)), checks)
  return { entry: sandboxes.get(sandbox), shared: shared ?? undefined }
}
