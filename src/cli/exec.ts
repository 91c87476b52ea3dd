import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'

/** A command to be run. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A command that runs, with the input and output of this process. */
export interface Child {
  /** The exit code as a shell has it: 128 + n for a signal, 127 for a command that is not there, 126 for one that cannot be run. */
  readonly ended: Promise<{ readonly code: number; readonly problem: string | undefined }>
  /** Does nothing once it has ended. */
  kill(signal: NodeJS.Signals): void
}

/** Runs a command without a shell. */
export function runCommand({ file, args, env }: Command): Child {
  const child = spawn(file, args, { env, stdio: 'inherit', shell: false })
  return { ended: endOf(child, file), kill: (signal) => void child.kill(signal) }
}

function endOf(child: ChildProcess, file: string): Child['ended'] {
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const found = error.code !== 'ENOENT'
      const problem = found ? `${file} cannot be run: ${error.message}` : `There is no command ${file}.`
      resolve({ code: found ? 126 : 127, problem })
    })
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), problem: undefined }),
    )
  })
}

/** The environment of a command with the addresses in it: `CONVSIM_BASE_URL`, `CONVSIM_CONTROL_URL`, and the base URL under each name. */
export function environmentWith(
  env: Command['env'],
  { baseUrl, controlUrl }: { readonly baseUrl: string; readonly controlUrl: string },
  names: readonly string[],
): Command['env'] {
  const also = Object.fromEntries(names.map((name) => [name, baseUrl]))
  return { ...env, CONVSIM_BASE_URL: baseUrl, CONVSIM_CONTROL_URL: controlUrl, ...also }
}
