import type { LogLevel } from '../../base/core/log.ts'
import { memoizeLast } from '../../base/core/memoize.ts'

/** Formats an instant for the log, from epoch milliseconds: `2026-01-15T12:00:00.000Z`. Lines often share it. */
export const formatTime = memoizeLast((time: number) => new Date(time).toISOString())

/** Formats a line outside the log with the members of the log's lines: `{"level":"info","time":"...","msg":"..."}`. */
export function formatJsonLine(level: LogLevel, time: number, message: string, fields: object = {}): string {
  return JSON.stringify({ level, time: formatTime(time), ...fields, msg: message })
}
