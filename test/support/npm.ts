import { onTestFinished } from 'vitest'
import { type Command, startProgram } from './command.ts'

/** npm in a process group of its own. */
export interface NpmCommand extends Command {
  /** Sends a signal to npm and all that it has started, unless they have ended. */
  readonly killGroup: (signal: NodeJS.Signals) => void
  /** Returns the text on stdout and stderr. */
  readonly output: () => string
}

/** Runs npm in a process group of its own, which is killed at the end of the test. */
export function npm(cwd: string, ...args: readonly string[]): NpmCommand {
  const env = { HOME: cwd, npm_config_update_notifier: 'false' }
  const command = startProgram('npm', args, { cwd, env, detached: true })
  const killGroup = (signal: NodeJS.Signals) => {
    try {
      process.kill(-(command.process.pid ?? 0), signal)
    } catch {
      // the group has ended
    }
  }
  onTestFinished(() => killGroup('SIGKILL'))
  return { ...command, killGroup, output: () => command.stdout() + command.stderr() }
}
