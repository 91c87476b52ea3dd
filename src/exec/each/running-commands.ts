import type { CapturedCommand } from './suite-command.ts'

/** The commands that run now. */
export class RunningCommands {
  readonly #commands = new Set<CapturedCommand>()
  #isStopped = false

  /** Adds a command until its end. After `stop` the command is ended immediately. */
  add(command: CapturedCommand): void {
    this.#commands.add(command)
    if (this.#isStopped) command.end()
  }

  delete(command: CapturedCommand): void {
    this.#commands.delete(command)
  }

  /**
   * Ends all commands, also those that are added later: a signal may come between the start of a simulator and that
   * of its command.
   */
  stop(): void {
    this.#isStopped = true
    for (const command of this.#commands) command.end()
  }
}
