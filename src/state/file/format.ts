import { isObject, type JsonObject } from '../../core/json.ts'
import { promptFromSnapshot, type SandboxSnapshot, type StoredSnapshot } from '../memory/sandbox-data.ts'
import { type SandboxEntrySnapshot, snapshotFromExport } from '../memory/state-data.ts'
import type { SandboxExport, Snapshot } from '../records.ts'
import { count, list, record, sentences } from '../shape.ts'
import { sandboxShape } from '../shapes.ts'
import { StateFileError } from './state-file-error.ts'

/** The state file as we hold it: everything up to and including the journal's entry `seq`. */
export interface Checkpoint {
  readonly seq: number
  readonly sandboxes: readonly SandboxEntrySnapshot[]
}

/** Raised with every change of the file's shape; MIGRATIONS says how to come from the one before. */
export const FORMAT = 1

/** Tells a state file from any other JSON file that somebody points us at. */
const KIND = 'convsim state'

/** From the document of one format to that of the next, by the format it starts from. */
export type Migrations = ReadonlyMap<number, (document: JsonObject) => JsonObject>

/** Empty, since format 1 is the first. */
const MIGRATIONS: Migrations = new Map()

/** The document in today's format. Throws a StateFault where it is not ours, or newer than we are. */
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

const documentShape = record({ seq: count, sandboxes: list(sandboxShape) })

/** The checkpoint that a parsed state file is. Throws a StateFault that names what is wrong with it, with its place. */
export function parseCheckpoint(parsed: unknown): Checkpoint {
  const document: unknown = migrate(parsed, KIND)
  const faults = sentences(documentShape(document), 'it')
  if (faults.length > 0) throw new StateFileError(`does not hold a state: ${faults.slice(0, 5).join('; ')}`)
  const { seq, sandboxes } = document as { seq: number; sandboxes: SandboxDocument[] } // the check has just proved it
  return { seq, sandboxes: sandboxes.map(parseSandbox) }
}

function parseSandbox({ name, snapshotsTaken, snapshots, ...held }: SandboxDocument): SandboxEntrySnapshot {
  return {
    name,
    data: snapshotFromExport(held),
    snapshotsTaken,
    snapshots: snapshots.map(({ snapshotId, name: label, createdAt, ...copy }) => ({
      head: { snapshotId, ...(label !== undefined && { name: label }), createdAt },
      data: snapshotFromExport(copy),
    })),
  }
}

/**
 * The text of a state file in small pieces, so that writing it never holds up a request: one event or prompt a line,
 * which is readable, greppable and quick to parse.
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

/** An object's members without its braces, for one that gets more of them. */
function serializeMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1)
}
