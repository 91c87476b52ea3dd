import type { TableRecord } from '../memory/table.ts'

/** The indentation of a line that is a record, or a reference to records before it. No other line of a state file has it. */
export const RECORD_INDENT = '        '

/** The largest length of a record in characters, for records of earlier versions: `record-length.ts` refuses shorter ones when they are written. */
const MAX_RECORD_LENGTH = 2 ** 28

/**
 * Writes the records of a state file, each on a line of its own. A record that a snapshot shares with its sandbox, or with an earlier
 * snapshot, is written once. Later lists refer to it: `"17+64"` stands for the 64 records from the file's record 17 on, counted from 0.
 */
export class RecordWriter {
  readonly #maxLength: number
  #count = 0
  /** The numbers of the sandbox's records. Undefined: no list of the sandbox can share any. */
  #written: Map<object, { readonly number: number; readonly revision: number }> | undefined

  constructor(maxLength: number = MAX_RECORD_LENGTH) {
    this.#maxLength = maxLength
  }

  beginSandbox(canShare: boolean): void {
    this.#written = canShare ? new Map() : undefined
  }

  /** Yields the text of a list's items. A record that was written before yields an empty piece, so that a writer can pause. */
  *list(records: Iterable<TableRecord>): Generator<string> {
    let separator = `\n${RECORD_INDENT}`
    for (const item of this.#items(records)) {
      if (item !== undefined) yield separator
      if (item !== undefined) separator = `,\n${RECORD_INDENT}`
      if (typeof item === 'object') yield* this.#boundedText(item)
      else yield item ?? ''
    }
  }

  /** Yields the text of a record. Throws if it is too long, so that no file is written that cannot be read. */
  *#boundedText({ text }: TableRecord): Generator<string> {
    let length = 0
    for (const piece of text()) {
      length += piece.length
      if (length > this.#maxLength)
        throw new Error(
          `a record has more than ${this.#maxLength} characters, such as a prompt with too many versions`,
        )
      yield piece
    }
  }

  /** Yields new records, and references to successive records that were written before. Undefined: a reference is not complete. */
  *#items(records: Iterable<TableRecord>): Generator<TableRecord | string | undefined> {
    let range: { readonly from: number; to: number } | undefined
    for (const record of records) {
      const number = this.#find(record)
      if (range !== undefined && number === range.to) {
        range.to += 1
        yield undefined
        continue
      }
      if (range !== undefined) yield `"${range.from}+${range.to - range.from}"`
      range = number === undefined ? undefined : { from: number, to: number + 1 }
      if (number === undefined) yield this.#note(record)
    }
    if (range !== undefined) yield `"${range.from}+${range.to - range.from}"`
  }

  #find({ identity, revision }: TableRecord): number | undefined {
    const written = this.#written?.get(identity)
    return written?.revision === revision ? written.number : undefined
  }

  /** Gives a new record its number. Returns the record. */
  #note(record: TableRecord): TableRecord {
    this.#written?.set(record.identity, { number: this.#count, revision: record.revision })
    this.#count += 1
    return record
  }
}
