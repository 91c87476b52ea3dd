import { isObject, type JsonObject } from '../../core/json.ts'
import { promptFromSnapshot, type SandboxSnapshot, type StoredSnapshot } from '../memory/sandbox-data.ts'
import { type SandboxEntrySnapshot, snapshotFromExport } from '../memory/state-data.ts'
import type { SandboxExport, Snapshot } from '../records.ts'
import { count, list, record, sentences } from '../shape.ts'
import { sandboxShape } from '../shapes.ts'
import { StateFileError } from './state-file-error.ts'

/** The content of the state file. */
export interface Checkpoint {
  /** The number of the last log entry that the checkpoint contains. 0: none. */
  readonly seq: number
  readonly sandboxes: readonly SandboxEntrySnapshot[]
}

/** The version of the format. It rises with every change of the format, which also adds a step to `MIGRATIONS`. */
export const FORMAT = 1

/** The mark by which a state file differs from other JSON files. */
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

type SandboxDocument = Omit<SandboxExport, 'format'> & {
  readonly name: string
  readonly snapshotsTaken: number
  readonly snapshots: readonly (Omit<SandboxExport, 'format'> &
    Pick<Snapshot, 'snapshotId' | 'name' | 'createdAt'>)[]
}

/** A check for a migrated state file. */
const documentShape = record({ seq: count, sandboxes: list(sandboxShape) })

/** Returns a parsed state file as a checkpoint. Throws a `StateFileError` with the first five faults and their places. */
export function parseCheckpoint(parsed: unknown): Checkpoint {
  const document: unknown = migrate(parsed, KIND)
  const faults = sentences(documentShape(document), 'it')
  if (faults.length > 0) throw new StateFileError(`does not hold a state: ${faults.slice(0, 5).join('; ')}`)
  const { seq, sandboxes } = document as { seq: number; sandboxes: SandboxDocument[] } // `documentShape` has proved it
  return { seq, sandboxes: sandboxes.map(parseSandbox) }
}

function parseSandbox({
  name,
  snapshotsTaken,
  snapshots,
  ...content
}: SandboxDocument): SandboxEntrySnapshot {
  return {
    name,
    data: snapshotFromExport(content),
    snapshotsTaken,
    snapshots: snapshots.map(({ snapshotId, name: label, createdAt, ...copy }) => ({
      head: { snapshotId, ...(label !== undefined && { name: label }), createdAt },
      data: snapshotFromExport(copy),
    })),
  }
}

/**
 * Yields the text of a state file in small pieces, so that writing never blocks a request. Each event or prompt is a line,
 * which is readable, greppable and fast to parse.
 */
export function* serializeCheckpoint({ seq, sandboxes }: Checkpoint): Generator<string> {
  yield `{\n  "kind": ${JSON.stringify(KIND)},\n  "format": ${FORMAT},\n  "seq": ${seq},\n  "sandboxes": [`
  let separator = '\n'
  for (const { name, data, snapshots, snapshotsTaken } of sandboxes) {
    yield `${separator}    {\n      "name": ${JSON.stringify(name)},\n`
    yield* serializeContent(data)
    yield `,\n      "snapshotsTaken": ${snapshotsTaken},\n      "snapshots": [`
    yield* serializeSnapshots(snapshots)
    yield ']\n    }'
    separator = ',\n'
  }
  yield ']\n}\n'
}

function* serializeSnapshots(snapshots: readonly StoredSnapshot[]): Generator<string> {
  let separator = '\n'
  for (const { head, data } of snapshots) {
    yield `${separator}      {\n      ${serializeMembers(head)},\n`
    yield* serializeContent(data)
    yield '\n      }'
    separator = ',\n'
  }
}

function* serializeContent({ quality, events, prompts }: SandboxSnapshot): Generator<string> {
  yield `      "quality": ${JSON.stringify(quality)},\n      "events": [`
  yield* serializeLines(events.lines())
  yield '],\n      "prompts": ['
  let separator = '\n'
  for (const prompt of prompts) {
    const { versions, ...head } = promptFromSnapshot(prompt)
    yield `${separator}        {${serializeMembers(head)},"versions":[`
    yield* serializeLines(versions.map((version) => JSON.stringify(version)))
    yield ']}'
    separator = ',\n'
  }
  yield ']'
}

function* serializeLines(lines: Iterable<string>): Generator<string> {
  let separator = '\n        '
  for (const line of lines) {
    yield separator + line
    separator = ',\n        '
  }
}

/** Returns the JSON of an object without its braces, so that more members can be added. */
function serializeMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1)
}
