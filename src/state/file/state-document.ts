import { open } from 'node:fs/promises'
import { isObject } from '../../core/json.ts'
import { reasonOf } from '../../core/result.ts'
import { FORMAT, KIND } from './format.ts'
import { type Line, readLines } from './lines.ts'
import { RECORD_INDENT } from './record-writer.ts'
import { parseJson, StateFileError } from './state-file-error.ts'

/** The first lines of a file that is read record by record. */
const OPENING = `{\n  "kind": ${JSON.stringify(KIND)},\n  "format": ${FORMAT},\n`

/** Returns true if the file begins as a state file of the current format. */
export async function isCurrentFormat(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(OPENING.length), 0, OPENING.length, 0)
    return buffer.toString('latin1', 0, bytesRead) === OPENING
  } finally {
    await file.close()
  }
}

/** Reads a state file of the current format record by record, so that its size is not bounded by that of a string. */
export async function readStateDocument(path: string): Promise<unknown> {
  const reader = new DocumentReader()
  for await (const lines of readLines(path)) for (const line of lines) reader.addLine(line)
  return reader.finish()
}

/** Reads the text of a state file of the current format, as it is read from a file. */
export function parseStateText(text: string): unknown {
  const reader = new DocumentReader()
  let from = 0
  for (const line of text.split('\n').slice(0, -1)) {
    const bytes = Buffer.from(line)
    reader.addLine({ bytes, from, isComplete: true })
    from += bytes.length + 1
  }
  return reader.finish()
}

/**
 * Parses records one by one. The other lines are JSON, too, with the numbers of lists in place of records (`"events": [3]`), and with
 * the line breaks of all lines, so that a fault in them has its place.
 */
class DocumentReader {
  #lineNumber = 0
  #frame = ''
  readonly #records: object[] = []
  readonly #lists: object[][] = []
  /** The list that the current line belongs to. Undefined: it belongs to no list. */
  #list: object[] | undefined

  addLine({ bytes, isComplete }: Line): void {
    this.#lineNumber += 1
    try {
      const text = bytes.toString('utf8')
      if (text.startsWith(RECORD_INDENT)) this.#addItem(text, isComplete)
      else this.#frame += text
      if (isComplete) this.#frame += '\n'
    } catch (error) {
      if (error instanceof StateFileError) throw error
      throw new StateFileError(`, line ${this.#lineNumber}: cannot be used (${reasonOf(error)})`, {
        cause: error,
      })
    }
  }

  #addItem(text: string, isComplete: boolean): void {
    const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf('"')) + 1
    if (this.#list === undefined) {
      this.#list = []
      this.#frame += this.#lists.push(this.#list) - 1
    }
    if (!isComplete || ![',', ']', '],'].includes(text.slice(end))) this.#refuseEnd(text)
    const place = { line: this.#lineNumber, column: RECORD_INDENT.length + 1 }
    const item = parseJson(text.slice(RECORD_INDENT.length, end), place)
    if (typeof item === 'string') this.#addRange(this.#list, item)
    else if (isObject(item)) this.#list.push(this.#records[this.#records.push(item) - 1] ?? item)
    else throw new Error('it is neither a record nor a reference to records')
    if (text.charAt(end) !== ']') return
    this.#frame += text.slice(end)
    this.#list = undefined
  }

  /** Throws for a line that is cut off, or that has another end than a comma or the end of the list. */
  #refuseEnd(text: string): void {
    const around = '{"":[' // the object and the list that the record is in
    const column = RECORD_INDENT.length + 1 - around.length
    parseJson(around + text.slice(RECORD_INDENT.length), { line: this.#lineNumber, column })
  }

  #addRange(list: object[], reference: string): void {
    const [, from, count] = /^(\d+)\+(\d+)$/.exec(reference) ?? []
    const records = this.#records.slice(Number(from), Number(from) + Number(count))
    if (records.length === 0 || records.length !== Number(count))
      throw new Error(`"${reference}" does not name records before it`)
    for (const record of records) list.push(record)
  }

  finish(): unknown {
    return parseJson(this.#frame, undefined, (_, value) => this.#findList(value))
  }

  /** Returns the list that an array with its number stands for. */
  #findList(value: unknown): unknown {
    if (!Array.isArray(value) || value.length !== 1 || typeof value[0] !== 'number') return value
    return this.#lists[value[0]]
  }
}
