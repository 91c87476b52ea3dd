/**
 * The text of a state file. Each event or prompt is a line, which is readable, greppable and fast to parse, and the
 * size of the file is not bounded by that of a string. A record that a snapshot shares with its sandbox, or with an
 * earlier snapshot, is written once. Later lists refer to it: `"17+64"` stands for the 64 records from the file's
 * record 17 on, counted from 0.
 */
import { isObject } from '../../core/json.ts'
import type { HeldRecord } from '../collections/collection.ts'
import type { SandboxData, StateData } from '../memory/state-data.ts'
import { StateFileError, visitLines } from './disk.ts'

/** The version of the format of the state file and its log. */
export const FORMAT = 3

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

/** The indentation of lines that are records, or references to records. No other line has it. */
const RECORD_INDENT = '        '

/** Yields the text of a state file up to its checksum, in small pieces. */
export function* stateText({ history, seq, sandboxes }: StateData): Generator<string> {
  const records = new WrittenRecords()
  yield `{\n  "kind": ${JSON.stringify(STATE_KIND)},\n  "format": ${FORMAT},\n  "log": "none",\n`
  yield `  "history": ${JSON.stringify(history)},\n  "seq": ${seq},\n  "sandboxes": [`
  let separator = '\n'
  for (const [name, { data, snapshots, snapshotsTaken }] of sandboxes) {
    records.beginSandbox(snapshots.size > 0)
    yield `${separator}    {\n      "name": ${JSON.stringify(name)},\n`
    yield* contentText(data, records)
    yield `,\n      "snapshotsTaken": ${snapshotsTaken},\n      "snapshots": [`
    for (const [index, { head, data: copy }] of [...snapshots.values()].entries()) {
      yield `${index === 0 ? '' : ','}\n      {\n      ${JSON.stringify(head).slice(1, -1)},\n`
      yield* contentText(copy, records)
      yield '\n      }'
    }
    yield ']\n    }'
    separator = ',\n'
  }
  yield '],\n'
}

function* contentText({ quality, tables }: SandboxData, records: WrittenRecords): Generator<string> {
  yield `      "quality": ${JSON.stringify(quality)}`
  for (const [name, table] of tables) {
    yield `,\n      ${JSON.stringify(name)}: [`
    yield* records.listText(table.list())
    yield ']'
  }
}

/** The records that a file has already. */
class WrittenRecords {
  #count = 0
  /**
   * The numbers of the sandbox's records. Equal texts are one record, since its id is part of it. It is undefined where
   * no list of the sandbox can share any.
   */
  #numbers: Map<HeldRecord, number> | undefined

  beginSandbox(canShare: boolean): void {
    this.#numbers = canShare ? new Map() : undefined
  }

  /** Yields the text of a list's records: of new ones as they are, of others as references. */
  *listText(records: Iterable<HeldRecord>): Generator<string> {
    let separator = `\n${RECORD_INDENT}`
    for (const item of this.#findItems(records)) {
      if (item !== '') yield separator
      if (item !== '') separator = `,\n${RECORD_INDENT}`
      yield item
    }
  }

  /** Yields the texts of new records, and references to those that the file has; nothing while it counts. */
  *#findItems(records: Iterable<HeldRecord>): Generator<string> {
    let shared: { readonly from: number; count: number } | undefined
    for (const record of records) {
      const number = this.#numbers?.get(record)
      if (shared !== undefined && number === shared.from + shared.count) {
        shared.count += 1
        yield '' // so that a writer can rest
        continue
      }
      if (shared !== undefined) yield `"${shared.from}+${shared.count}"`
      shared = number === undefined ? undefined : { from: number, count: 1 }
      if (number === undefined) yield this.#note(record)
    }
    if (shared !== undefined) yield `"${shared.from}+${shared.count}"`
  }

  /** Gives a new record its number. Returns its text. */
  #note(record: HeldRecord): string {
    this.#numbers?.set(record, this.#count)
    this.#count += 1
    return typeof record === 'string' ? record : JSON.stringify(record)
  }
}

/**
 * Reads a state file whose checksum fits. Records are parsed one by one. The other lines are JSON, too, with the
 * numbers of lists in place of records: `"events": [3]`.
 */
export async function readStateText(path: string): Promise<unknown> {
  const lists: object[][] = []
  const records: object[] = []
  let frame = ''
  let list: object[] | undefined
  await visitLines(path, ({ bytes }) => {
    const text = bytes.toString('utf8')
    const isRecord = text.startsWith(RECORD_INDENT)
    if (isRecord && list === undefined) {
      list = []
      frame += lists.push(list) - 1
    }
    const end = isRecord ? addRecords(text, records, list) : 0
    if (isRecord && text[end] !== ']') return
    frame += text.slice(end)
    list = undefined
  })
  return JSON.parse(frame, (_, value) => {
    const isNumber = Array.isArray(value) && value.length === 1 && typeof value[0] === 'number'
    return isNumber ? lists[value[0]] : value
  })
}

/** Adds the records of a line, or those that it refers to, to its list. Returns the end of the record in the line. */
function addRecords(line: string, records: object[], list: object[] = []): number {
  const end = Math.max(line.lastIndexOf('}'), line.lastIndexOf('"')) + 1
  const item: object | string = JSON.parse(line.slice(0, end))
  if (typeof item === 'object') records.push(item)
  const [from = 0, count = 0] = typeof item === 'string' ? item.split('+').map(Number) : [records.length - 1, 1]
  if (count < 1 || from + count > records.length)
    throw new StateFileError(`refers to records ${item}, which are not before it`)
  for (const record of records.slice(from, from + count)) list.push(record)
  return end
}
