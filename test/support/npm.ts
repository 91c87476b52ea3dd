import { onTestFinished } from 'vitest'
import { type Command, startProgram } from './command.ts'

/** An npm process in its own process group. */
export interface NpmCommand extends Command {
  /** Sends a signal to npm and all its child processes, unless they have exited. */
  readonly killGroup: (signal: NodeJS.Signals) => void
  /** Returns the text written so far to stdout, followed by the text written to stderr. */
  readonly output: () => string
}

/** Runs npm in its own process group, which is killed at the end of the test. */
export function npm(cwd: string, ...args: readonly string[]): NpmCommand {
  const env = { HOME: cwd, npm_config_update_notifier: 'false' }
  const command = startProgram('npm', args, { cwd, env, detached: true })
  const killGroup = (signal: NodeJS.Signals) => {
    try {
      process.kill(-(command.process.pid ?? 0), signal)
    } catch {
      // all processes in the group have exited
    }
  }
  onTestFinished(() => killGroup('SIGKILL'))
  return { ...command, killGroup, output: () => command.stdout() + command.stderr() }
}
