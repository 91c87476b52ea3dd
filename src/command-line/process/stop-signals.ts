/**
 * Handles the signals that stop the process.
 *
 * One Ctrl-C can reach the process twice: the terminal signals the whole process group, and npm, if it started the
 * process, forwards a copy, possibly as a different signal. A supervisor that signals the group has the same effect.
 */
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

type StopSignal = (typeof signals)[number]

/** The time in milliseconds after the first signal during which further signals are treated as copies of it. */
const copyMs = 2000

type Host = Pick<NodeJS.Process, 'on' | 'exit'>

/**
 * Listens for signals until the process ends. The first signal stops the command, or ends the process at once if the
 * command has nothing to finish. Signals in the next two seconds are ignored as copies; a later signal ends the
 * process at once. If a signal ends the process at once, the exit code is 128 + n, where n is that signal's number.
 */
export class StopSignals {
  readonly #host: Host
  readonly #printError: (text: string) => void
  #first: StopSignal | undefined
  #isCopyTimeOver = false
  #stop: ((signal: StopSignal) => void) | undefined

  constructor(host: Host, printError: (text: string) => void) {
    this.#host = host
    this.#printError = printError
    for (const signal of signals) host.on(signal, () => this.#receive(signal))
  }

  /** The exit code of a command stopped by a signal: 128 + n for signal n; undefined if no signal has arrived. */
  get code(): number | undefined {
    return this.#first && exitCodeOf(this.#first)
  }

  /** Calls `stop` on the first signal, or at once if a signal has already arrived. Replaces any earlier `stop`. */
  onStop(stop: (signal: StopSignal) => void): void {
    this.#stop = stop
    if (this.#first) stop(this.#first)
  }

  /** Runs work that the first signal must not interrupt, then ends the process if a signal has arrived. */
  async finish<T>(work: () => Promise<T>): Promise<T> {
    this.#stop = () => undefined
    const value = await work()
    if (this.code !== undefined) this.#host.exit(this.code)
    this.#stop = undefined
    return value
  }

  #receive(signal: StopSignal): void {
    if (this.#first && !this.#isCopyTimeOver) return
    if (!this.#first && this.#stop) {
      this.#first = signal
      const endCopyTime = () => {
        this.#isCopyTimeOver = true
      }
      // A copy that arrived while the process was busy is handled after the timer fires but before `endCopyTime`.
      setTimeout(() => setImmediate(endCopyTime), copyMs).unref()
      this.#stop(signal)
      return
    }
    if (this.#first) {
      const reason = `another signal (${signal}) arrived more than ${copyMs / 1000} s after the first (${this.#first})`
      this.#printError(`convsim: exiting at once without finishing, because ${reason}.`)
    }
    this.#host.exit(exitCodeOf(signal))
  }
}

const exitCodeOf = (signal: StopSignal) => 128 + constants.signals[signal]
