/**
 * The text of a state file. Each event or prompt is a line, which is readable, greppable and fast to parse, and the
 * size of the file is not bounded by that of a string.
 */
import { readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { isObject } from '../../core/json.ts'
import type { HeldRecord } from '../collections/collection.ts'
import { collections, recordsOf, type StoredContent } from '../collections/index.ts'
import { SandboxData, type SandboxEntry, StateData, type StoredSnapshot } from '../memory/state-data.ts'
import type { SnapshotHead } from '../records.ts'
import { formatTrailer, TRAILER } from './checksum.ts'
import { parseStateJson, StateFileError, visitLines } from './disk.ts'

/** The version of the format of the state file and its log. */
export const FORMAT = 4

/** The `kind` of a state file. */
const STATE_KIND = 'convsim state'

/** Says why a document is no file of this kind and format, or returns undefined if it is one. */
export function findFormatFault(document: unknown, kind: string): string | undefined {
  if (!isObject(document) || document['kind'] !== kind) return `is no file of ours: it does not say "kind": "${kind}"`
  const { format } = document
  if (typeof format !== 'number' || !Number.isInteger(format)) return 'does not say its format'
  if (format > FORMAT) return `has format ${format}, and this version reads format ${FORMAT}; use a newer version`
  return format === FORMAT ? undefined : `has format ${format}, which this version cannot read`
}

/** The mark of a state file: `open` if a log was begun beside the file. */
export type Mark = 'none' | 'open'

/** The content of a state file of the current format. */
interface StateDocument {
  /** The id of the file's history. */
  readonly history: string
  /** The number of the last log entry that the file contains. 0: none. */
  readonly seq: number
  readonly log: Mark
  readonly sandboxes: readonly SandboxDocument[]
}

interface SandboxDocument extends StoredContent {
  readonly name: string
  readonly snapshotsTaken: number
  readonly snapshots: readonly (StoredContent & SnapshotHead)[]
}

/** A state file as it was read. */
export interface ReadState {
  readonly state: StateData
  readonly mark: Mark
}

/** The indentation of lines that are records. No other line has it. */
const RECORD_INDENT = '        '

/** The beginning of a state file up to its mark, which says if a log was begun beside the file. */
export const BEFORE_MARK = `{\n  "kind": ${JSON.stringify(STATE_KIND)},\n  "format": ${FORMAT},\n  "log": "`

/** The line of the mark of a begun log, and the one that the checksum of the file is computed with. */
const OPEN_LINE = '  "log": "open",\n'
const SEALED_LINE = '  "log": "none",\n'

/** A piece of the text, or the records of a list. */
type Part = string | Iterable<HeldRecord>

/** Returns the text of a state file up to its checksum, in small pieces. Later changes do not change it. */
export function stateText({ history, seq, sandboxes }: StateData): Iterable<string> {
  const head = `${BEFORE_MARK}none",\n  "history": ${JSON.stringify(history)},\n  "seq": ${seq},\n  "sandboxes": [`
  const items = Array.from(sandboxes, ([name, entry]) => sandboxParts(name, entry))
  return joinParts([head, ...separate(items), '],\n'])
}

function sandboxParts(name: string, { data, snapshotsTaken, snapshots }: SandboxEntry): Part[] {
  const copies = Array.from(snapshots.values(), (snapshot) => [
    ...contentParts(snapshot.head, snapshot.data),
    '\n    }',
  ])
  return [...contentParts({ name, snapshotsTaken }, data), ',\n    "snapshots": [', ...separate(copies), ']}']
}

/** Returns the text of an object with these members, quality settings and lists, up to its closing brace. */
function contentParts(members: object, { quality, tables }: SandboxData): Part[] {
  const lists = Array.from(tables, ([name, table]) => [`,\n    ${JSON.stringify(name)}: [`, table.list(), ']'])
  return [`    ${JSON.stringify({ ...members, quality }).slice(0, -1)}`, ...lists.flat()]
}

function separate(items: readonly Part[][]): Part[] {
  return items.flatMap((parts, index) => [index === 0 ? '\n' : ',\n', ...parts])
}

function* joinParts(parts: readonly Part[]): Generator<string> {
  for (const part of parts) {
    if (typeof part === 'string') {
      yield part
      continue
    }
    let separator = '\n'
    for (const record of part) {
      yield `${separator}${RECORD_INDENT}${typeof record === 'string' ? record : JSON.stringify(record)}`
      separator = ',\n'
    }
  }
}

/**
 * Reads a state file. Its records are parsed one by one, and its other lines together. What fits the checksum is as it
 * was written, so its content needs no check. Throws a `StateFileError` for a damaged file or another format.
 */
export async function readStateText(path: string): Promise<ReadState> {
  const reader = new TextReader()
  let checksum = 0
  let end = ''
  let fault: unknown
  await visitLines(path, (line) => {
    const text = line.toString('utf8')
    if (end !== '' || text.startsWith('  "checksum"')) end += text
    else checksum = crc32(text === OPEN_LINE ? SEALED_LINE : line, checksum)
    try {
      reader.readLine(text)
    } catch (error) {
      fault ??= error
    }
  })
  if (end !== formatTrailer(checksum)) throw new StateFileError(await describeDamage(path, TRAILER.test(end)))
  if (fault !== undefined) throw fault
  return reader.finish()
}

/** Says what is wrong with a file that does not fit its checksum. Throws, with the place, for one that is no JSON. */
async function describeDamage(path: string, hasChecksum: boolean): Promise<string> {
  const text = await readFile(path, 'utf8')
  if (text === '') return 'is empty'
  const end = hasChecksum ? 'does not fit the checksum at its end' : 'does not end with its checksum'
  return findFormatFault(parseStateJson(text), STATE_KIND) ?? `${end}, so it was damaged or changed`
}

/** Reads records into lists. The other lines are JSON, too, with numbers of lists in place of records: `[3]`. */
class TextReader {
  readonly #lists: object[][] = []
  #list: object[] | undefined
  #frame = ''

  readLine(text: string): void {
    if (!text.startsWith(RECORD_INDENT)) {
      this.#frame += text
      this.#list = undefined
      return
    }
    if (this.#list === undefined) {
      this.#list = []
      this.#frame += this.#lists.push(this.#list) - 1
    }
    const end = text.lastIndexOf('}') + 1
    this.#list.push(JSON.parse(text.slice(0, end)))
    if (text[end] === ']') this.#frame += text.slice(end) // after the last record of a list
  }

  finish(): ReadState {
    const document: StateDocument = JSON.parse(this.#frame)
    const fault = findFormatFault(document, STATE_KIND)
    if (fault !== undefined) throw new StateFileError(fault)
    const { history, seq, log } = document
    const entries = document.sandboxes.map(
      (sandbox) => [sandbox.name, this.#createEntry(sandbox)] as [string, SandboxEntry],
    )
    return { state: new StateData(history, seq, entries), mark: log }
  }

  #createEntry(sandbox: SandboxDocument): SandboxEntry {
    const data = this.#createData(sandbox)
    const snapshots = new Map<string, StoredSnapshot>()
    for (const content of sandbox.snapshots) {
      const { snapshotId, name, createdAt } = content
      const head = { snapshotId, ...(name !== undefined && { name }), createdAt }
      snapshots.set(snapshotId, { head, data: this.#createData(content) })
    }
    return { data, snapshotsTaken: sandbox.snapshotsTaken, snapshots }
  }

  /** Puts the lists of records in place of their numbers. A file of another layout must not count as empty. */
  #createData(content: StoredContent): SandboxData {
    for (const collection of collections) {
      const { name } = collection
      const [number, ...others] = recordsOf(content, collection)
      if (number === undefined) continue
      const list = this.#lists[Number(number)]
      if (list === undefined || others.length > 0) throw new StateFileError(`does not list its ${name} one a line`)
      Object.assign(content, { [name]: list })
    }
    return SandboxData.of(content)
  }
}
