import { isObject, type JsonObject } from '../../core/json.ts'
import { serializeMembers } from '../json-text.ts'
import { SandboxData } from '../memory/sandbox-data.ts'
import type { SandboxEntry, StoredSnapshot } from '../memory/state-data.ts'
import type { StateChecks, StateDocument } from '../state-checks.ts'
import { StateFileError } from './state-file-error.ts'

/** The content of the state file. */
export interface Checkpoint {
  /** The number of the last log entry that the checkpoint contains. 0: none. */
  readonly seq: number
  /** The sandboxes by name. */
  readonly sandboxes: ReadonlyMap<string, SandboxEntry>
}

/** The checkpoint of an empty state. */
export const EMPTY_CHECKPOINT: Checkpoint = { seq: 0, sandboxes: new Map() }

/** The version of the format. It rises with every change of the format, which also adds a step to `MIGRATIONS`. */
export const FORMAT = 1

/** The `kind` of a state file. */
const KIND = 'convsim state'

/** The steps that change a document of one format into the next format, by the format that they start from. */
export type Migrations = ReadonlyMap<number, (document: JsonObject) => JsonObject>

/** The migrations of the state file and its log: none, since format 1 is the first. */
const MIGRATIONS: Migrations = new Map()

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
  const faults = checks.stateFile(document, 'it')
  if (faults.length > 0) throw new StateFileError(`does not hold a state: ${faults.slice(0, 5).join('; ')}`)
  const { seq, sandboxes } = document as StateDocument // the check has just proved it
  return { seq, sandboxes: new Map(sandboxes.map((sandbox) => [sandbox.name, parseSandbox(sandbox)])) }
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
 * Yields the text of a state file in small pieces, so that writing never blocks a request. Each event or prompt is a line,
 * which is readable, greppable and fast to parse.
 */
export function* serializeCheckpoint({ seq, sandboxes }: Checkpoint): Generator<string> {
  yield `{\n  "kind": ${JSON.stringify(KIND)},\n  "format": ${FORMAT},\n  "seq": ${seq},\n  "sandboxes": [`
  let separator = '\n'
  for (const [name, { data, snapshots, snapshotsTaken }] of sandboxes) {
    yield `${separator}    {\n      "name": ${JSON.stringify(name)},\n`
    yield* data.text()
    yield `,\n      "snapshotsTaken": ${snapshotsTaken},\n      "snapshots": [`
    yield* serializeSnapshots(snapshots.values())
    yield ']\n    }'
    separator = ',\n'
  }
  yield ']\n}\n'
}

function* serializeSnapshots(snapshots: Iterable<StoredSnapshot>): Generator<string> {
  let separator = '\n'
  for (const { head, data } of snapshots) {
    yield `${separator}      {\n      ${serializeMembers(head)},\n`
    yield* data.text()
    yield '\n      }'
    separator = ',\n'
  }
}
