import { constants } from 'node:os'
import type { CapturedCommand } from './suite-command.ts'

/** A stop that a signal requested. */
export interface StopRequest {
  /** The exit code, 128 + n for signal n; undefined: no stop was requested. */
  readonly code: number | undefined
  /** Stops listening for signals. */
  release(): void
}

/** Listens for signals. Each ends the running commands; at the exit of the process none of them is left. */
export function listenForStop(host: NodeJS.Process, running: ReadonlySet<CapturedCommand>): StopRequest {
  let code: number | undefined
  const endAll = () => {
    for (const command of running) command.end()
  }
  const stop = (signal: NodeJS.Signals) => {
    code ??= 128 + constants.signals[signal]
    endAll()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
  for (const signal of signals) host.on(signal, stop)
  host.once('exit', endAll)
  return {
    get code() {
      return code
    },
    release() {
      for (const signal of signals) host.off(signal, stop)
      host.off('exit', endAll)
    },
  }
}
