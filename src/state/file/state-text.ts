/**
 * The text of a state file. Each event or prompt is a line, which is readable, greppable and fast to parse, and the
 * size of the file is not bounded by that of a string.
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { isObject, parseJson } from '../../core/json.ts'
import type { HeldRecord } from '../collections/collection.ts'
import { collections, recordsOf, type StoredContent } from '../collections/index.ts'
import { SandboxData, type SandboxEntry, StateData, type StoredSnapshot } from '../memory/state-data.ts'
import type { SnapshotHead } from '../records.ts'
import { formatTrailer } from './checksum.ts'
import { parseStateJson, StateFileError, visitLines } from './disk.ts'

/** The version of the format of the state file and its log. */
const FORMAT = 5

/** The `kind` of a state file. */
const STATE_KIND = 'convsim state'

/** Says why a document is no file of this kind and format, or returns undefined if it is one. */
export function findFormatFault(document: unknown, kind: string): string | undefined {
  if (!isObject(document) || document['kind'] !== kind) return `is not ours: it does not say "kind": "${kind}"`
  const { format } = document
  if (format === FORMAT) return undefined
  const writer = Number(format) > FORMAT ? 'a newer version' : 'the older version that wrote it'
  return `has format ${format}, and this version reads format ${FORMAT}; use ${writer}`
}

/** The content of a state file of the current format. */
interface StateDocument {
  /** The number of the last log entry that the file contains. 0: none. */
  readonly seq: number
  readonly sandboxes: readonly SandboxDocument[]
}

interface SandboxDocument extends StoredContent {
  readonly name: string
  readonly snapshotsTaken: number
  readonly snapshots: readonly (StoredContent & SnapshotHead)[]
}

/** The indentation of lines that are records. No other line has it. */
const RECORD_INDENT = '        '

/** The beginning of a state file of any format. */
const OPENING = /^\{\s*"kind": *"([^"]*)",\s*"format": *(\d+),/

/** Returns the text of a state file up to its checksum, in small pieces. Later changes do not change it. */
export function stateText({ seq, sandboxes }: StateData): Iterable<string> {
  const lists: Iterable<HeldRecord>[] = []
  const placeholder = randomUUID() // which no client can know
  const capture = (data: SandboxData) => {
    const { quality, lists: captured } = data.capture()
    lists.push(...captured.map(([, list]) => list))
    return { quality, ...Object.fromEntries(captured.map(([name]) => [name, placeholder])) }
  }
  // `snapshots` must follow `...capture(data)`: the lists stand in the order of their placeholders.
  const documents = Array.from(sandboxes, ([name, { data, snapshotsTaken, snapshots }]) => ({
    name,
    snapshotsTaken,
    ...capture(data),
    snapshots: Array.from(snapshots.values(), (snapshot) => ({ ...snapshot.head, ...capture(snapshot.data) })),
  }))
  const head = `{\n  "kind": ${JSON.stringify(STATE_KIND)},\n  "format": ${FORMAT},\n  "seq": ${seq},\n  "sandboxes": `
  return withLists(`${head}${JSON.stringify(documents)},\n`.split(`"${placeholder}"`), lists)
}

/** Yields texts with lists between them. Each record of a list is a line. */
function* withLists(texts: readonly string[], lists: readonly Iterable<HeldRecord>[]): Generator<string> {
  for (const [index, text] of texts.entries()) {
    yield text
    let separator = '[\n'
    for (const record of lists[index] ?? []) {
      yield `${separator}${RECORD_INDENT}${typeof record === 'string' ? record : JSON.stringify(record)}`
      separator = ',\n'
    }
    if (index < lists.length) yield separator === ',\n' ? ']\n' : '[]'
  }
}

/**
 * Reads a state file. Its lines that are no records are JSON together, with the number of a list in place of its
 * records: `"events": [3]`. What fits the checksum is as it was written, so its content needs no check. Throws a
 * `StateFileError` for a damaged file or another format.
 */
export async function readStateText(path: string): Promise<StateData> {
  const lists: object[][] = []
  let list: object[] | undefined
  let [frame, end, checksum] = ['', '', 0]
  await visitLines(path, (line) => {
    const text = line.toString('utf8')
    if (end !== '' || text.startsWith('  "checksum"')) end += text
    else checksum = crc32(line, checksum)
    if (!text.startsWith(RECORD_INDENT)) {
      frame += text
      list = undefined
      return
    }
    if (list === undefined) {
      list = []
      frame += lists.push(list) - 1
    }
    const endOfRecord = text.lastIndexOf('}') + 1
    list.push(parseJson(text.slice(0, endOfRecord)) as object) // unless the file is damaged
    if (text[endOfRecord] === ']') frame += text.slice(endOfRecord) // after the last record of a list
  })
  const [, kind, format] = OPENING.exec(frame) ?? []
  const fault = kind && findFormatFault({ kind, format: Number(format) }, STATE_KIND)
  if (fault) throw new StateFileError(fault) // also for lines that no longer make up JSON
  if (end !== formatTrailer(checksum)) throw new StateFileError(await describeDamage(path, end))
  const document: StateDocument = JSON.parse(frame)
  const { seq } = document
  const entries: [string, SandboxEntry][] = []
  for (const sandbox of document.sandboxes) entries.push([sandbox.name, await createEntry(sandbox, lists)])
  return new StateData(seq, entries)
}

/** Says what is wrong with a file that does not fit its checksum. Throws, with the place, for one that is no JSON. */
async function describeDamage(path: string, end: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => undefined) // longer than a string can be
  if (text === '') return 'is empty'
  const fault = end === '' ? 'does not end with its checksum' : 'does not fit the checksum at its end'
  return (text && findFormatFault(parseStateJson(text), STATE_KIND)) ?? `${fault}, so it was damaged or changed`
}

async function createEntry(sandbox: SandboxDocument, lists: readonly object[][]): Promise<SandboxEntry> {
  const data = await createData(sandbox, lists)
  const snapshots = new Map<string, StoredSnapshot>()
  for (const content of sandbox.snapshots) {
    const { snapshotId, name, createdAt } = content
    const head = { snapshotId, ...(name !== undefined && { name }), createdAt }
    snapshots.set(snapshotId, { head, data: await createData(content, lists) })
  }
  return { data, snapshotsTaken: sandbox.snapshotsTaken, snapshots }
}

/** Puts the lists of records in place of their numbers. A file of another layout must not count as empty. */
async function createData(content: StoredContent, lists: readonly object[][]): Promise<SandboxData> {
  for (const collection of collections) {
    const { name } = collection
    const [number, ...others] = recordsOf(content, collection)
    if (number === undefined) continue
    const list = lists[Number(number)]
    if (list === undefined || others.length > 0) throw new StateFileError(`does not list its ${name} one a line`)
    Object.assign(content, { [name]: list })
  }
  return await SandboxData.load(content)
}
