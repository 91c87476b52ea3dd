import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { reasonOf } from '../../core/result.ts'
import type { Change, StateData } from '../memory/state-data.ts'
import { StateChecks } from '../state-checks.ts'
import { migrate } from './format.ts'
import { StateFileError } from './state-file-error.ts'
import { LOG_KIND, type LogFile } from './write-ahead-log.ts'

/** The outcome of replaying the log. */
export interface ReplayResult {
  /** The number of the last entry that the state contains. */
  readonly seq: number
  /** The number of entries that were applied. */
  readonly entries: number
  readonly files: readonly LogFile[]
}

/** Applies the log entries after entry `seq` to the state. Throws a `StateFileError` with the place of a broken entry. */
export async function replayLog(base: string, state: StateData, seq: number): Promise<ReplayResult> {
  const checks = await StateChecks.load()
  const files: LogFile[] = []
  let reached = seq
  let entries = 0
  for (const { path, generation } of await findLogFiles(base)) {
    const { lines, bytes } = splitCompleteLines(await readLogFile(path))
    for (const [index, line] of lines.entries()) {
      const applied = withLocation(path, index, () => replayLine(line, index, { state, checks, reached }))
      if (applied) entries += 1
      if (applied) reached += 1
    }
    files.push({ path, generation, bytes })
  }
  return { seq: reached, entries, files }
}

async function findLogFiles(base: string): Promise<{ path: string; generation: number }[]> {
  const prefix = `${basename(base)}.journal.`
  const names = (await readdir(dirname(base))).filter((name) => name.startsWith(prefix))
  const generations = names.map((name) => Number(name.slice(prefix.length))).filter(Number.isInteger)
  return generations
    .sort((a, b) => a - b)
    .map((generation) => ({ path: join(dirname(base), prefix + generation), generation }))
}

async function readLogFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new StateFileError(`${path} cannot be read (${reasonOf(error)})`, { cause: error })
  }
}

/** Splits a log file into lines. A last line without a line break was never acknowledged: the process died writing it. */
function splitCompleteLines(content: Buffer): { lines: string[]; bytes: number } {
  const bytes = content.lastIndexOf(0x0a) + 1
  const lines = content.subarray(0, bytes).toString('utf8').split('\n')
  return { lines: lines.slice(0, -1), bytes }
}

/** Applies one line of the log. False: the line is the header, or an entry that the checkpoint contains. */
function replayLine(
  line: string,
  index: number,
  { state, checks, reached }: { state: StateData; checks: StateChecks; reached: number },
): boolean {
  const entry: unknown = JSON.parse(line)
  if (index === 0) {
    migrate(entry, LOG_KIND)
    return false
  }
  const { seq, change } = parseEntry(entry, checks)
  if (seq <= reached) return false
  if (seq !== reached + 1) {
    throw new StateFileError(
      `is entry ${seq} and follows entry ${reached}: the state file and its journal do not belong together`,
    )
  }
  state.apply(change)
  return true
}

function parseEntry(entry: unknown, checks: StateChecks): { readonly seq: number; readonly change: Change } {
  const [fault] = checks.logEntry(entry, 'it')
  if (fault !== undefined) throw new StateFileError(`is no entry: ${fault}`)
  const { seq, ...change } = entry as { seq: number } & Change // the check has just proved it
  return { seq, change: change as Change } // an entry without its number is a change
}

/** Runs `run` for one line. Rethrows its errors as `StateFileError` with the place of the line. */
function withLocation<T>(path: string, index: number, run: () => T): T {
  try {
    return run()
  } catch (error) {
    const why = error instanceof StateFileError ? error.message : `cannot be used (${reasonOf(error)})`
    throw new StateFileError(`${path}, line ${index + 1}: ${why}`, { cause: error })
  }
}
