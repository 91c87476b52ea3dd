import { conflictKey } from './conflict-key.ts'
import type { LogEntry } from './log-entry.ts'

/**
 * Writes an entry as a line of the log: its conflict key as JSON, which `EXCHANGE` compares without reading the rest, a line feed, and the entry as
 * JSON. The key is empty if the entry depends on all others.
 */
export function formatLine(entry: LogEntry): string {
  const key = conflictKey(entry)
  return `${key === undefined ? '' : JSON.stringify(key)}\n${JSON.stringify(entry)}`
}

/** Parses a line that `formatLine` wrote. */
export function parseLine(line: string): LogEntry {
  return JSON.parse(line.slice(line.indexOf('\n') + 1))
}
