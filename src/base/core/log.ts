/** The levels of a log, the least important first. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/** A log with five levels. A pino logger fits. */
export interface Log extends Readonly<Record<LogLevel, (fields: object, message: string) => void>> {
  /** Returns true for a level that is written, so that fields are collected only where they are read. */
  isLevelEnabled(level: LogLevel): boolean
}

const ignore = () => {}

export const silentLog: Log = {
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  isLevelEnabled: () => false,
}
