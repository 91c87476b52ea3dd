/**
 * The text of a state file. Each event or prompt is a line, which is readable, greppable and fast to parse, and the
 * size of the file is not bounded by that of a string.
 */
import { isObject } from '../../core/json.ts'
import type { HeldRecord } from '../collections/collection.ts'
import { collections, type StoredContent } from '../collections/index.ts'
import type { SandboxData, SandboxEntry, StateData } from '../memory/state-data.ts'
import type { SnapshotHead } from '../records.ts'
import { StateFileError, visitLines } from './disk.ts'

/** The version of the format of the state file and its log. */
export const FORMAT = 4

/** The `kind` of a state file. */
export const STATE_KIND = 'convsim state'

/** Says why a document is no file of this kind and format, or returns undefined if it is one. */
export function findFormatFault(document: unknown, kind: string): string | undefined {
  if (!isObject(document) || document['kind'] !== kind) return `is no file of ours: it does not say "kind": "${kind}"`
  const { format } = document
  if (typeof format !== 'number' || !Number.isInteger(format)) return 'does not say its format'
  if (format > FORMAT) return `has format ${format}, and this version reads format ${FORMAT}; use a newer version`
  return format === FORMAT ? undefined : `has format ${format}, which this version cannot read`
}

/** The content of a state file of the current format. */
export interface StateDocument {
  /** The id of the file's history. */
  readonly history: string
  /** The number of the last log entry that the file contains. 0: none. */
  readonly seq: number
  /** `open` if a log was begun beside the file. */
  readonly log: 'none' | 'open'
  readonly sandboxes: readonly SandboxDocument[]
}

type SandboxDocument = StoredContent & {
  readonly name: string
  readonly snapshotsTaken: number
  readonly snapshots: readonly (StoredContent & SnapshotHead)[]
}

/** The indentation of lines that are records. No other line has it. */
const RECORD_INDENT = '        '

/** Returns the text of a state file up to its checksum, in small pieces. Later changes do not change it. */
export function stateText({ history, seq, sandboxes }: StateData): Iterable<string> {
  const head =
    `{\n  "kind": ${JSON.stringify(STATE_KIND)},\n  "format": ${FORMAT},\n  "log": "none",\n` +
    `  "history": ${JSON.stringify(history)},\n  "seq": ${seq},\n  "sandboxes": [`
  const texts = Array.from(sandboxes, ([name, entry]) => sandboxText(name, contentText(entry.data), entry))
  return joinTexts(head, texts)
}

function* joinTexts(head: string, sandboxes: readonly Iterable<string>[]): Generator<string> {
  yield head
  for (const [index, text] of sandboxes.entries()) {
    yield index === 0 ? '\n' : ',\n'
    yield* text
  }
  yield '],\n'
}

function* sandboxText(name: string, content: Iterable<string>, entry: SandboxEntry): Generator<string> {
  yield `    {\n      "name": ${JSON.stringify(name)},\n`
  yield* content
  yield `,\n      "snapshotsTaken": ${entry.snapshotsTaken},\n      "snapshots": [`
  for (const [index, { head, data }] of [...entry.snapshots.values()].entries()) {
    yield `${index === 0 ? '' : ','}\n      {\n      ${JSON.stringify(head).slice(1, -1)},\n`
    yield* contentText(data)
    yield '\n      }'
  }
  yield ']\n    }'
}

function contentText({ quality, tables }: SandboxData): Iterable<string> {
  const lists = Array.from(tables, ([name, table]) => [name, table.list()] as const)
  return joinLists(`      "quality": ${JSON.stringify(quality)}`, lists)
}

function* joinLists(
  quality: string,
  lists: readonly (readonly [name: string, records: Iterable<HeldRecord>])[],
): Generator<string> {
  yield quality
  for (const [name, records] of lists) {
    yield `,\n      ${JSON.stringify(name)}: [`
    let separator = '\n'
    for (const record of records) {
      yield `${separator}${RECORD_INDENT}${typeof record === 'string' ? record : JSON.stringify(record)}`
      separator = ',\n'
    }
    yield ']'
  }
}

/**
 * Reads a state file whose checksum fits. Records are parsed one by one. The other lines are JSON, too, with the
 * numbers of lists in place of records: `"events": [3]`. Throws a `StateFileError` for another format.
 */
export async function readStateText(path: string): Promise<StateDocument> {
  const lists: object[][] = []
  let frame = ''
  let list: object[] | undefined
  await visitLines(path, ({ bytes }) => {
    const text = bytes.toString('utf8')
    if (!text.startsWith(RECORD_INDENT)) {
      frame += text
      list = undefined
      return
    }
    if (list === undefined) {
      list = []
      frame += lists.push(list) - 1
    }
    const end = text.lastIndexOf('}') + 1
    list.push(JSON.parse(text.slice(0, end)))
    if (text[end] === ']') frame += text.slice(end) // after the last record of a list
  })
  const document = JSON.parse(frame)
  const fault = findFormatFault(document, STATE_KIND)
  if (fault !== undefined) throw new StateFileError(fault)
  for (const sandbox of document.sandboxes)
    for (const content of [sandbox, ...sandbox.snapshots]) putLists(content, lists)
  return document
}

/** Puts the lists of records in place of their numbers. A file of another layout must not count as empty. */
function putLists(content: Record<string, readonly number[]>, lists: readonly object[]): void {
  for (const { name } of collections) {
    const [number, ...others] = content[name] ?? []
    if (number === undefined) continue
    const list = lists[number]
    if (list === undefined || others.length > 0) throw new StateFileError(`does not list its ${name} one a line`)
    Object.assign(content, { [name]: list })
  }
}
