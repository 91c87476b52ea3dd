/** Runs a test suite against the simulator: as it is, once for each fault, or under a hunt for faults. */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { cutText } from '../core/cut-text.ts'
import type { StopSignals } from '../process/stop-signals.ts'

export interface CommandLine {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A running command, which shares the input and output of this process. */
export interface RunningCommand {
  /**
   * Resolves to the exit code at the end of the command; as in a shell it is 128 + n for signal n, 127 if the command
   * does not exist, 126 if the command cannot be run. `problem`: the reason for 126 or 127.
   */
  readonly ended: Promise<{ readonly code: number; readonly problem: string | undefined }>
  /** Sends a signal; does nothing once the command has ended. */
  kill(signal: NodeJS.Signals): void
}

/** Runs a command without a shell. */
export function runCommand({ file, args, env }: CommandLine): RunningCommand {
  try {
    const child = spawn(file, args, { env, stdio: 'inherit', shell: false })
    return { ended: waitForEnd(child, file), kill: (signal) => void child.kill(signal) }
  } catch (error) {
    return { ended: Promise.resolve(describeStartError(file, error as Error)), kill: () => {} }
  }
}

/** Describes the error of `spawn`, which throws some, such as a name that is too long, and emits others. */
export function describeStartError(file: string, { code, message }: NodeJS.ErrnoException) {
  if (code === 'ENOENT') return { code: 127, problem: `There is no command ${cutText(file, maxShown)}.` }
  return { code: 126, problem: `${cutText(file, maxShown)} cannot be run: ${message}` }
}

/** The most characters that a message has of a command's name. */
const maxShown = 200

function waitForEnd(child: ChildProcess, file: string): RunningCommand['ended'] {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(describeStartError(file, error)))
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), problem: undefined }),
    )
  })
}

/** Adds `CONVSIM_BASE_URL`, `CONVSIM_CONTROL_URL`, and the base URL under each of `names` to an environment. */
export function addAddresses(
  env: CommandLine['env'],
  { baseUrl, controlUrl }: { readonly baseUrl: string; readonly controlUrl: string },
  names: readonly string[],
): CommandLine['env'] {
  const also = Object.fromEntries(names.map((name) => [name, baseUrl]))
  return { ...env, CONVSIM_BASE_URL: baseUrl, CONVSIM_CONTROL_URL: controlUrl, ...also }
}

/** Forwards the first stop signal and each SIGUSR2 to the child, which is killed when `host` exits. */
export function forwardSignals(child: RunningCommand, signals: StopSignals, host: NodeJS.Process): void {
  // On Ctrl-C the terminal signals the whole process group, so the child already has the signal.
  signals.onStop((signal) => {
    if (signal === 'SIGTERM' || !host.stdin.isTTY) child.kill(signal)
  })
  host.on('SIGUSR2', (signal) => child.kill(signal))
  host.once('exit', () => child.kill('SIGKILL'))
}
