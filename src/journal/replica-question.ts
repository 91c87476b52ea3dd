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

/** A question to all replicas: each says at once that it is sending what it has recorded, and answers when it has sent it. */
export class ReplicaQuestion {
  /** The replicas that have not answered, and those of them that are sending. */
  readonly #open: Set<string>
  readonly #sending = new Set<string>()
  #onAnswer = () => {}

  constructor(replicas: Iterable<string>) {
    this.#open = new Set(replicas)
  }

  receive({ kind, from }: Signal): void {
    if (kind === 'sending' && this.#open.has(from)) this.#sending.add(from)
    if (kind !== 'answer') return
    this.#open.delete(from)
    this.#sending.delete(from)
    this.#onAnswer()
  }

  /** Waits for the answers, and returns the replicas that gave none in time. */
  async wait({ signalMs, sendingMs } = patience): Promise<ReadonlySet<string>> {
    await this.#untilEmpty(this.#open, signalMs)
    await this.#untilEmpty(this.#sending, sendingMs)
    return this.#open
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
