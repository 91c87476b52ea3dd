/** The levels of a log, from least to most severe. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/** A log with five levels, such as a pino logger. */
export interface Log extends Readonly<Record<LogLevel, (fields: object, message: string) => void>> {
  /** Returns true if messages at this level are written. Check this before collecting fields for a message. */
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
