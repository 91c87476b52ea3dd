/**
 * The text of a state file. Each event or prompt is a line, which is readable, greppable and fast to parse, and the
 * size of the file is not bounded by that of a string.
 */
import { isObject } from '../../core/json.ts'
import type { SandboxData, StateData } from '../memory/state-data.ts'
import { visitLines } from './disk.ts'

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

/** The indentation of lines that are records. No other line has it. */
const RECORD_INDENT = '        '

/** Yields the text of a state file up to its checksum, in small pieces. */
export function* stateText({ history, seq, sandboxes }: StateData): Generator<string> {
  yield `{\n  "kind": ${JSON.stringify(STATE_KIND)},\n  "format": ${FORMAT},\n  "log": "none",\n`
  yield `  "history": ${JSON.stringify(history)},\n  "seq": ${seq},\n  "sandboxes": [`
  let separator = '\n'
  for (const [name, { data, snapshots, snapshotsTaken }] of sandboxes) {
    yield `${separator}    {\n      "name": ${JSON.stringify(name)},\n`
    yield* contentText(data)
    yield `,\n      "snapshotsTaken": ${snapshotsTaken},\n      "snapshots": [`
    for (const [index, { head, data: copy }] of [...snapshots.values()].entries()) {
      yield `${index === 0 ? '' : ','}\n      {\n      ${JSON.stringify(head).slice(1, -1)},\n`
      yield* contentText(copy)
      yield '\n      }'
    }
    yield ']\n    }'
    separator = ',\n'
  }
  yield '],\n'
}

function* contentText({ quality, tables }: SandboxData): Generator<string> {
  yield `      "quality": ${JSON.stringify(quality)}`
  for (const [name, table] of tables) {
    yield `,\n      ${JSON.stringify(name)}: [`
    let separator = '\n'
    for (const record of table.list()) {
      yield `${separator}${RECORD_INDENT}${typeof record === 'string' ? record : JSON.stringify(record)}`
      separator = ',\n'
    }
    yield ']'
  }
}

/**
 * Reads a state file whose checksum fits. Records are parsed one by one. The other lines are JSON, too, with the
 * numbers of lists in place of records: `"events": [3]`.
 */
export async function readStateText(path: string): Promise<unknown> {
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
  return JSON.parse(frame, (_, value) => {
    const isNumber = Array.isArray(value) && value.length === 1 && typeof value[0] === 'number'
    return isNumber ? lists[value[0]] : value
  })
}
