import { StateData } from '../memory/state-data.ts'
import type { StateChecks } from '../state-checks.ts'
import { StateFileError } from './disk.ts'
import { applyEntry, findSealFault, type Header, historySeed, type Line, MISMATCH, readLines, SEAL } from './lines.ts'

/** Reads a state file. Throws a `StateFileError` with the place of a fault. */
export async function readStateFile(path: string, checks: StateChecks): Promise<StateData> {
  const state = new StateData()
  let head: Header = { history: '', seq: 0 }
  let isEnded = false
  await readLines(path, 'convsim state', checks, {
    readHeader(header) {
      head = header
    },
    async readLine({ bytes, fault, isComplete, number }) {
      if (isEnded) throw new StateFileError('stands behind the end of the state')
      if (fault !== undefined || !isComplete) throw new StateFileError(fault ?? 'has no line break, so it was cut off')
      const text = bytes.toString('utf8')
      const seq = number - 1
      isEnded = text.endsWith(endMembers(seq))
      if (!isEnded) await applyEntry(text.slice(0, -1), { state, checks, seq }) // without the comma
    },
    finish() {
      if (!isEnded) throw new StateFileError('is the last one, so the rest was cut off')
    },
  })
  return new StateData(head.history, head.seq, state.sandboxes)
}

/** Returns the last line of a state file behind its checksum. */
export function endMembers(seq: number): string {
  return `"seq":${seq}}]}`
}

/** The outcome of applying a log. */
export interface LogReplay {
  /** The number of entries that were applied. */
  readonly entries: number
  /** A sentence about the entry that a crash cut off. Absent: the log is complete. */
  readonly cutOff?: string
}

/**
 * Applies the entries of a log that the state lacks. `isNew`: there is no state file. Throws a `StateFileError` with
 * the place of a fault. Only an entry at the very end may be incomplete, as a crash leaves it.
 */
export async function replayLog(
  path: string,
  state: StateData,
  { checks, isNew }: { readonly checks: StateChecks; readonly isNew: boolean },
): Promise<LogReplay> {
  const before = state.seq
  let end = 0
  let cutOff: string | undefined
  await readLines(path, 'convsim journal', checks, {
    readHeader({ history, seq }) {
      if (history !== state.history && isNew) throw new StateFileError('the state file that it belongs to is missing')
      if (history !== state.history)
        throw new StateFileError(
          `belongs to history ${history}, and the state file to ${state.history}: they do not belong together`,
        )
      if (seq > before) throw new StateFileError(`begins after entry ${seq}, and follows entry ${before}: ${MISMATCH}`)
      end = seq
    },
    async readLine(line) {
      const { bytes, fault, isComplete, number } = line
      const seq = end + 1
      if (fault !== undefined) {
        const tailFault = isComplete ? fault : findTailFault(line, seq, historySeed(state.history))
        if (tailFault !== undefined) throw new StateFileError(tailFault)
        cutOff =
          `${path}, line ${number}: the last entry (${seq}) is cut off after ${bytes.length} bytes, ` +
          'as by a crash while it was written. These bytes are taken off; all entries before are loaded'
        return
      }
      await applyEntry(bytes.toString('utf8'), { state, checks, seq })
      end = seq
    },
    finish() {
      if (end < before)
        throw new StateFileError(`ends with entry ${end}, and the state file contains entry ${before}: ${MISMATCH}`)
    },
  })
  return { entries: state.seq - before, ...(cutOff !== undefined && { cutOff }) }
}

/** Says why bytes at the end of a log are not the beginning of its next entry, or returns undefined if they are. */
function findTailFault({ bytes }: Line, seq: number, seed: number): string | undefined {
  if (findSealFault(bytes.subarray(0, -1), seed) === undefined) return 'its line break was damaged or changed'
  const control = bytes.findIndex((byte) => byte < 0x20)
  if (control !== -1) return `has a byte ${bytes[control]} at its position ${control}, which no entry has`
  const opening = `${SEAL}"seq":${seq},`
  const digits = /^\{"crc":"([0-9a-f]{0,8})/.exec(bytes.toString('latin1'))?.[1] ?? ''
  const expected = opening.replace('0'.repeat(digits.length), digits).slice(0, bytes.length)
  return bytes.toString('latin1', 0, expected.length) === expected ? undefined : `does not begin as entry ${seq}`
}
