import { sleep } from '../core/timers.ts'
import type { Signal } from './shared-stream.ts'

/** The milliseconds for which a question waits for the replicas. */
interface Patience {
  /** For a first signal of each. */
  readonly signalMs: number
  /** After that, for the answers of those that are sending. */
  readonly sendingMs: number
}

const patience: Patience = { signalMs: 1000, sendingMs: 10_000 }

/** A question to all replicas: each says at once that it is sending what it has recorded, and answers when it has sent it, or that it failed. */
export class ReplicaQuestion {
  /** The replicas that may still answer, those of them that are sending, and those that failed. */
  readonly #open: Set<string>
  readonly #sending = new Set<string>()
  readonly #failed = new Set<string>()
  /** The reason for which this process could not send. */
  #error: unknown
  #onAnswer = () => {}

  constructor(replicas: Iterable<string>) {
    this.#open = new Set(replicas)
  }

  receive({ kind, from }: Signal): void {
    if (!this.#open.has(from)) return
    if (kind === 'sending') {
      this.#sending.add(from)
      return
    }
    if (kind === 'failed') this.#failed.add(from)
    this.#open.delete(from)
    this.#sending.delete(from)
    this.#onAnswer()
  }

  /** Ends the question, since this process could not send what it has recorded. */
  fail(error: unknown): void {
    this.#error = error
    this.#open.clear()
    this.#sending.clear()
    this.#onAnswer()
  }

  /** Waits for the answers, and returns the replicas that gave none in time, or failed. Rejects if this process could not send. */
  async wait({ signalMs, sendingMs } = patience): Promise<ReadonlySet<string>> {
    await this.#untilEmpty(this.#open, signalMs)
    await this.#untilEmpty(this.#sending, sendingMs)
    if (this.#error !== undefined) throw this.#error
    return new Set([...this.#open, ...this.#failed])
  }

  async #untilEmpty(replicas: ReadonlySet<string>, ms: number): Promise<void> {
    const empty = new Promise<void>((resolve) => {
      this.#onAnswer = () => {
        if (replicas.size === 0) resolve()
      }
      this.#onAnswer()
    })
    await Promise.race([empty, sleep(ms, undefined, { ref: false })])
  }
}
