import { failure, type Result, success } from '../../core/result.ts'
import { JsonScanner, ScanError } from './json-scanner.ts'

/** The bytes of an entry: from `start` up to `end`. */
export interface EntryPlace {
  readonly start: number
  readonly end: number
}

/**
 * Finds the entries of a HAR file to parse one by one: all at once would take several times the memory of the file. The
 * error is a sentence about the file, without its subject.
 */
export function findEntries(bytes: Uint8Array): Result<readonly EntryPlace[]> {
  const scanner = new JsonScanner(bytes)
  let found: EntryPlace[] | undefined
  const readEntries = (list: number) => {
    const places: EntryPlace[] = []
    found = places
    return scanner.readList(list, (start) => {
      const end = scanner.skip(start)
      places.push({ start, end })
      return end
    })
  }
  const readLog = (log: number) =>
    scanner.readObject(log, (name, at) =>
      name === 'entries' && scanner.isList(at) ? readEntries(at) : scanner.skip(at),
    )
  const readRoot = (root: number) =>
    scanner.readObject(root, (name, at) => (name === 'log' && scanner.isObject(at) ? readLog(at) : scanner.skip(at)))
  try {
    scanner.readDocument((start) => (scanner.isObject(start) ? readRoot(start) : scanner.skip(start)))
  } catch (error) {
    if (!(error instanceof ScanError)) throw error
    return failure(found ? `${error.message} It has ${found.length} whole entries before that.` : error.message)
  }
  return found
    ? success(found)
    : failure('is no HAR file: it has no "log" with "entries". Export the traffic as HAR 1.2.')
}
