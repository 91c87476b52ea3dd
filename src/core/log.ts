/** A log with three levels. A pino logger fits. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const ignore = () => {}

/** A log that drops every entry; the default of the library. */
export const silentLog: Log = { info: ignore, warn: ignore, error: ignore }
