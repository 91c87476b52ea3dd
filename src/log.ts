/** Where the simulator says what it does. A pino logger is one. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const nothing = () => {}

/** For use as a library: says nothing. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
