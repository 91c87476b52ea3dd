import { reasonOf } from '../core/result.ts'
import { ReplicaQuestion } from './replica-question.ts'
import type { SharedStream, Signal } from './shared-stream.ts'

/** The parts that questions work with. */
interface QuestionDeps {
  readonly stream: SharedStream
  /** Sends all that this process has recorded. */
  readonly send: () => Promise<void>
  /** Receives the reason for which it could not send them. */
  readonly reportUnsent: (reason: string) => void
}

/** The questions of this process to all replicas, itself included, and its answers to those of all. */
export class ReplicaQuestions {
  readonly #deps: QuestionDeps
  /** The questions of this process by their ids. */
  readonly #questions = new Map<string, ReplicaQuestion>()
  #asked = 0
  /** True: the latest sending failed, and that was reported. */
  #hasFailed = false
  /** The answers that this process has not given yet. */
  readonly #answers = new Set<Promise<void>>()

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
    if (signal.kind !== 'question') {
      this.#questions.get(signal.id)?.receive(signal)
      return
    }
    const answer = this.#answer(signal.id).finally(() => this.#answers.delete(answer))
    this.#answers.add(answer)
  }

  /** Waits until all questions so far are answered. A process that ended before would leave others waiting for what it said that it was sending. */
  async finish(): Promise<void> {
    await Promise.all(this.#answers)
  }

  /** Sends all that was recorded, and says so, or that it failed. Without either the reader waits, and then knows that something is missing. */
  async #answer(id: string): Promise<void> {
    const { stream, send } = this.#deps
    try {
      await stream.sendSignal({ kind: 'sending', id, from: stream.id })
      await send()
      this.#hasFailed = false
      await stream.sendSignal({ kind: 'answer', id, from: stream.id })
    } catch (error) {
      await this.#fail(id, error)
    }
  }

  /** Ends a question of this process with the reason, or tells another that this process cannot send. */
  async #fail(id: string, error: unknown): Promise<void> {
    const { stream, reportUnsent } = this.#deps
    const own = this.#questions.get(id)
    if (own) return own.fail(error)
    if (!this.#hasFailed) reportUnsent(reasonOf(error)) // once, since there may be many questions
    this.#hasFailed = true
    await stream.sendSignal({ kind: 'failed', id, from: stream.id }).catch(() => undefined)
  }
}
