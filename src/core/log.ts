/** Where the simulator says what it does. A pino logger is one. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const nothing = () => {}

/** For use as a library: says nothing. */
export const silentLog: Log = { info: nothing, warn: nothing, error: nothing }
