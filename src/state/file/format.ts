import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '../../core/json.ts'
import { serializeMembers } from '../json-text.ts'
import { SandboxData } from '../memory/sandbox-data.ts'
import type { SandboxEntry, StoredSnapshot } from '../memory/state-data.ts'
import type { StateChecks, StateDocument } from '../state-checks.ts'
import { NO_LOG, parseMark } from './log-mark.ts'
import { RecordWriter } from './record-writer.ts'
import { StateFileError } from './state-file-error.ts'

/** The content of the state file. */
export interface Checkpoint {
  /** The id of the file's history, which its log files have, too. A new file begins a new history. */
  readonly history: string
  /** The format that the file has on the disk. */
  readonly format: number
  /** The number of the last log entry that the checkpoint contains. 0: none. */
  readonly seq: number
  /** The generation of the newest log file that was begun; 0: none. Undefined: the file does not tell, or is about to be written. */
  readonly log?: number | undefined
  /** The sandboxes by name. */
  readonly sandboxes: ReadonlyMap<string, SandboxEntry>
}

/** Returns the checkpoint of a new, empty state. */
export function emptyCheckpoint(): Checkpoint {
  return { history: randomUUID(), format: FORMAT, seq: 0, sandboxes: new Map() }
}

/** The version of the format. It rises with every change of the format, which also adds a step to `MIGRATIONS`. */
export const FORMAT = 2

/** The format without checksums and histories. */
export const OLDEST_FORMAT = 1

/** The `kind` of a state file. */
export const KIND = 'convsim state'

/** The steps that change a document of one format into the next format, by the format that they start from. */
export type Migrations = ReadonlyMap<number, (document: JsonObject) => JsonObject>

/** The migrations of the state file and its log. Format 2 added checksums and the id of the history. */
const MIGRATIONS: Migrations = new Map([[OLDEST_FORMAT, beginHistory]])

function beginHistory(document: JsonObject): JsonObject {
  if ('history' in document || 'checksum' in document || 'crc' in document)
    throw new StateFileError('says format 1 and has members of a later format, so it was damaged or changed')
  return { ...document, history: randomUUID() }
}

/** Returns a document in the current format. Throws a `StateFileError` if its kind differs, or its format is not known. */
export function migrate(
  document: unknown,
  kind: string,
  migrations: Migrations = MIGRATIONS,
  current: number = FORMAT,
): JsonObject {
  if (!isObject(document) || document['kind'] !== kind) {
    throw new StateFileError(`is no file of ours: it does not say "kind": "${kind}"`)
  }
  const { format } = document
  if (typeof format !== 'number' || !Number.isInteger(format))
    throw new StateFileError('does not say its format')
  if (format > current) {
    throw new StateFileError(
      `has format ${format}, and this version knows formats up to ${current}; use a newer version`,
    )
  }
  let migrated = document
  for (let from = format; from < current; from += 1) {
    const step = migrations.get(from)
    if (step === undefined) throw new StateFileError(`has format ${from}, which this version cannot read`)
    migrated = { ...step(migrated), format: from + 1 }
  }
  return migrated
}

/** Returns a parsed state file as a checkpoint. Throws a `StateFileError` with the first five faults and their places. */
export function parseCheckpoint(parsed: unknown, checks: StateChecks): Checkpoint {
  const document: unknown = migrate(parsed, KIND)
  const { format } = parsed as { format: number } // `migrate` has just proved it
  const faults = checks.stateFile(document, 'it')
  if (faults.length > 0) throw new StateFileError(`does not hold a state: ${faults.slice(0, 5).join('; ')}`)
  const { history, seq, log, sandboxes } = document as StateDocument // the check has just proved it
  return {
    history,
    format,
    seq,
    log: log === undefined ? undefined : parseMark(log),
    sandboxes: new Map(sandboxes.map((sandbox) => [sandbox.name, parseSandbox(sandbox)])),
  }
}

function parseSandbox(sandbox: StateDocument['sandboxes'][number]): SandboxEntry {
  const snapshots = sandbox.snapshots.map(({ snapshotId, name, createdAt, ...content }) => {
    const head = { snapshotId, ...(name !== undefined && { name }), createdAt }
    return [snapshotId, { head, data: SandboxData.of(content) }] as const
  })
  return {
    data: SandboxData.of(sandbox),
    snapshotsTaken: sandbox.snapshotsTaken,
    snapshots: new Map(snapshots),
  }
}

/**
 * Yields the text of a state file without its checksum in small pieces, so that writing never blocks a request. Each event or prompt
 * is a line, which is readable, greppable and fast to parse.
 */
export function* serializeCheckpoint({ history, seq, sandboxes }: Checkpoint): Generator<string> {
  const records = new RecordWriter()
  yield `{\n  "kind": ${JSON.stringify(KIND)},\n  "format": ${FORMAT},\n  "log": "${NO_LOG}",\n`
  yield `  "history": ${JSON.stringify(history)},\n  "seq": ${seq},\n  "sandboxes": [`
  let separator = '\n'
  for (const [name, { data, snapshots, snapshotsTaken }] of sandboxes) {
    records.beginSandbox(snapshots.size > 0)
    yield `${separator}    {\n      "name": ${JSON.stringify(name)},\n`
    yield* data.text((list) => records.list(list))
    yield `,\n      "snapshotsTaken": ${snapshotsTaken},\n      "snapshots": [`
    yield* serializeSnapshots(snapshots.values(), records)
    yield ']\n    }'
    separator = ',\n'
  }
  yield '],\n'
}

function* serializeSnapshots(snapshots: Iterable<StoredSnapshot>, records: RecordWriter): Generator<string> {
  let separator = '\n'
  for (const { head, data } of snapshots) {
    yield `${separator}      {\n      ${serializeMembers(head)},\n`
    yield* data.text((list) => records.list(list))
    yield '\n      }'
    separator = ',\n'
  }
}
