import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isObject } from '../../core/json.ts'
import { reasonOf } from '../../core/result.ts'
import type { Change, StateData } from '../memory/state-data.ts'
import { type Check, count, oneOf, record, sentences, text } from '../shape.ts'
import {
  contentShape,
  eventShape,
  promptHeadShape,
  qualityShape,
  snapshotShape,
  versionShape,
} from '../shapes.ts'
import { migrate } from './format.ts'
import { StateFileError } from './state-file-error.ts'
import { LOG_KIND, type LogFile } from './write-ahead-log.ts'

/** The checks of the members of a log entry, by operation. */
const ENTRY_SHAPES: { readonly [Op in Change['op']]: Check } = {
  event: record({ event: eventShape }),
  replay: record({ insertId: text }),
  version: record({ prompt: promptHeadShape, version: versionShape }),
  activate: record({ promptId: text, versionId: text }),
  quality: record({ quality: qualityShape }),
  reset: record({}),
  delete: record({}),
  import: record({ state: contentShape }),
  snapshot: record({ snapshot: snapshotShape }),
  restore: record({ snapshotId: text }),
  forget: record({ snapshotId: text }),
}

/** A check for the members that every log entry has. */
const entryShape = record({ seq: count, sandbox: text, op: oneOf(...Object.keys(ENTRY_SHAPES)) })

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
  const files: LogFile[] = []
  let reached = seq
  let entries = 0
  for (const { path, generation } of await findLogFiles(base)) {
    const { lines, bytes } = splitCompleteLines(await readLogFile(path))
    for (const [index, line] of lines.entries()) {
      const applied = withLocation(path, index, () => replayLine(line, index, state, reached))
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
function replayLine(line: string, index: number, state: StateData, reached: number): boolean {
  const entry: unknown = JSON.parse(line)
  if (index === 0) {
    migrate(entry, LOG_KIND)
    return false
  }
  const { seq, change } = parseEntry(entry)
  if (seq <= reached) return false
  if (seq !== reached + 1) {
    throw new StateFileError(
      `is entry ${seq} and follows entry ${reached}: the state file and its journal do not belong together`,
    )
  }
  state.apply(change)
  return true
}

function parseEntry(entry: unknown): { readonly seq: number; readonly change: Change } {
  const op = isObject(entry) ? entry['op'] : undefined
  const shape = typeof op === 'string' && isOp(op) ? ENTRY_SHAPES[op] : entryShape
  const faults = sentences([...entryShape(entry), ...shape(entry)], 'it')
  if (faults[0] !== undefined) throw new StateFileError(`is no entry: ${faults[0]}`)
  const { seq, ...change } = entry as { seq: number } & Change // the checks have just proved the type
  return { seq, change: change as Change } // an entry without its number is a change
}

function isOp(op: string): op is Change['op'] {
  return Object.hasOwn(ENTRY_SHAPES, op)
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
