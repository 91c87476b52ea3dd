import { ReplicaQuestion } from './replica-question.ts'
import type { SharedStream, Signal } from './shared-stream.ts'

/** The parts that questions work with. */
interface QuestionDeps {
  readonly stream: SharedStream
  /** Sends all that this process has recorded. */
  readonly send: () => Promise<void>
  /** Receives a sentence about each failure in the background. */
  readonly report: (problem: string) => void
}

/** The questions of this process to all replicas, itself included, and its answers to those of all. */
export class ReplicaQuestions {
  readonly #deps: QuestionDeps
  /** The questions of this process by their ids. */
  readonly #questions = new Map<string, ReplicaQuestion>()
  #asked = 0

  constructor(deps: QuestionDeps) {
    this.#deps = deps
  }

  /** Answers the questions from now on. */
  async open(): Promise<void> {
    await this.#deps.stream.onSignal((signal) => this.#receive(signal))
  }

  /** Waits until these replicas have sent what they have recorded. Returns those that have not. */
  async ask(replicas: Iterable<string>): Promise<ReadonlySet<string>> {
    const { stream } = this.#deps
    const id = `${stream.id} ${++this.#asked}`
    const question = new ReplicaQuestion(replicas)
    this.#questions.set(id, question)
    return stream
      .sendSignal({ kind: 'question', id, from: stream.id })
      .then(() => question.wait())
      .finally(() => this.#questions.delete(id))
  }

  #receive(signal: Signal): void {
    if (signal.kind === 'question') void this.#answer(signal.id)
    else this.#questions.get(signal.id)?.receive(signal)
  }

  /** Sends all that was recorded, and says so. Without an answer the reader knows that something is missing. */
  async #answer(id: string): Promise<void> {
    const { stream, send, report } = this.#deps
    try {
      await stream.sendSignal({ kind: 'sending', id, from: stream.id })
      await send()
      await stream.sendSignal({ kind: 'answer', id, from: stream.id })
    } catch (error) {
      report(`What was recorded could not be sent to the other replicas (${String(error)}).`)
    }
  }
}
