import type { JsonObject } from '../../core/json.ts'
import { SlicedWork } from '../../core/slices.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { redactJson } from '../../redaction/redact.ts'
import type { Bundle, BundledBody, BundledChange, BundledRequest, BundledSandbox } from '../bundle.ts'
import { bundleAnswer } from '../bundle-entry.ts'
import { type AnswerDifference, compareAnswers, findFirst } from './compare-answers.ts'

/** A simulator in which a bundle is replayed. */
export interface ReplayTarget {
  /** Sets the time of all sandboxes, sends a recorded request, and returns its entry in the journal. */
  send(request: BundledRequest): Promise<JournalEntry>
  /** Sends a request to the control plane. @returns the refusal; undefined: it was carried out */
  control(method: string, target: string, body?: Uint8Array): Promise<string | undefined>
  export(sandbox: string): Promise<JsonObject>
}

/** The outcome of a comparison: `not-judged` where the bundle lacks something on which the answer depends. */
export type ReplayVerdict = 'same' | 'differs' | 'not-judged'

/** The result for one request, or for the state at the end (`id`: `state`). */
export interface ReplayedRequest {
  readonly sandbox: string
  readonly id: string
  /** `POST /v1/events`; empty for the state. */
  readonly request: string
  readonly verdict: ReplayVerdict
  readonly differences: readonly AnswerDifference[]
  /** Sentences about what could not be repeated or compared; empty for none. */
  readonly reasons: readonly string[]
}

/** A replay with its results in the order of the bundle. */
interface ReplayResults {
  readonly results: readonly ReplayedRequest[]
  /** True where the request of `until` was reached, or none was asked for. */
  readonly isComplete: boolean
}

/**
 * Replays the requests of a bundle, sandbox by sandbox. `until`: the id of the request after which its sandbox ends.
 * `onProgress`: is called before
 * each step, with the number of those before it.
 */
export async function replayBundle(
  { sandboxes }: Bundle,
  target: ReplayTarget,
  until: string | undefined,
  onProgress: (replayed: number, all: number) => void = () => undefined,
): Promise<ReplayResults> {
  const holds = ({ requests }: BundledSandbox) => requests.some(({ id }) => id === until)
  const replayed = until === undefined ? sandboxes : sandboxes.filter(holds)
  const all = replayed.reduce((sum, { requests, changes }) => sum + requests.length + changes.length, 0)
  let begun = 0
  const onStep = () => {
    onProgress(begun, all)
    begun += 1
  }
  const results: (readonly ReplayedRequest[])[] = []
  for (const sandbox of replayed) results.push(await new SandboxReplay(sandbox, target).run(until, onStep))
  return { results: results.flat(), isComplete: until === undefined || replayed.length > 0 }
}

/**
 * The changes that a replay leaves out: the clock, since each request has its instant, and the snapshots, since a
 * change that restores one has the state after it.
 */
const NOT_REPLAYED: ReadonlySet<string> = new Set(['putClock', 'advanceClock', 'createSnapshot', 'deleteSnapshot'])

/** Returns a sentence for each part of a sandbox's history that the bundle does not have. */
function describeMissing({ start, missing }: BundledSandbox): string[] {
  const { evicted, deleted, unfinished, changes } = missing
  return [
    ...(start.problem === undefined ? [] : [`the state at the start is not known: ${start.problem}`]),
    ...(start.redacted ? ['the state at the start was redacted'] : []),
    ...(evicted > 0 ? [`earlier requests that the journal had evicted (--journal-size): ${evicted}`] : []),
    ...(deleted > 0 ? [`earlier requests that were deleted from the journal while the state stayed: ${deleted}`] : []),
    ...(unfinished > 0 ? [`requests that had not ended when the bundle was written: ${unfinished}`] : []),
    ...(changes > 0 ? [`changes by the control plane that were too many to be held: ${changes}`] : []),
  ]
}

/** The most doubts that a result names: there can be one for each request before it. */
const maxDoubts = 20

/** The replay of one sandbox. */
class SandboxReplay {
  readonly #sandbox: BundledSandbox
  readonly #target: ReplayTarget
  /** Sentences about events in the recorded sandbox that could not be repeated, and may cause later differences. */
  readonly #doubts: string[]
  readonly #results: ReplayedRequest[] = []

  constructor(sandbox: BundledSandbox, target: ReplayTarget) {
    this.#sandbox = sandbox
    this.#target = target
    this.#doubts = describeMissing(sandbox)
  }

  async run(until: string | undefined, onStep: () => void): Promise<readonly ReplayedRequest[]> {
    const { start, changes, requests, name } = this.#sandbox
    if (start.state) await this.#import(start.state, 'the state at the start')
    const steps: readonly ReplayStep[] = [
      ...changes.map((change) => ({ order: change.order, run: () => this.#change(change) })),
      ...requests.map((request) => ({
        order: request.order,
        id: request.id,
        run: () => this.#send(request),
      })),
    ]
    const work = new SlicedWork() // a signal is received between two slices
    for (const { id, run } of steps.toSorted((one, other) => one.order - other.order)) {
      onStep()
      await run()
      if (work.isDue) await work.rest()
      if (id !== undefined && id === until) return this.#results
    }
    const actual = redactJson(await this.#target.export(name))
    const first = findFirst(this.#sandbox.state, actual, '')
    const differences = first ? [{ ...first, part: `state${first.part}` }] : []
    this.#judge({ id: 'state', request: '', differences, doubts: this.#listDoubts() })
    return this.#results
  }

  async #change(change: BundledChange): Promise<void> {
    const { operation, method, path, query, body, state, problem, redacted } = change
    if (NOT_REPLAYED.has(operation)) return
    const label = `the change ${method} ${path}`
    if (redacted) this.#doubts.push(`${label} was redacted`)
    if (problem !== undefined) this.#doubts.push(`the state after ${label} is not known: ${problem}`)
    if (state) return this.#import(state, `the state after ${label}`)
    if (problem !== undefined) return
    const bytes = bytesOf(body)
    if (bytes === undefined && body.size > 0) return void this.#doubts.push(`the body of ${label} is not in the bundle`)
    const own = operation === 'putSandbox' ? '' : `sandbox=${this.#sandbox.name}`
    const refusal = await this.#target.control(
      method,
      `${path}?${[own, query].filter((part) => part !== '').join('&')}`,
      bytes,
    )
    if (refusal !== undefined) this.#doubts.push(`${label} was refused: ${refusal}`)
  }

  async #import(state: JsonObject, label: string): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(state))
    const refusal = await this.#target.control('POST', `/__sim/import?sandbox=${this.#sandbox.name}`, bytes)
    if (refusal !== undefined) this.#doubts.push(`${label} was refused: ${refusal}`)
  }

  async #send(recorded: BundledRequest): Promise<void> {
    const { id, method, path, query, body, aborted, redacted } = recorded
    const request = `${method} ${path}${query === '' ? '' : `?${query}`}`
    const isBodyGone = body.size > 0 && !aborted && !body.unreadable && bytesOf(body) === undefined
    if (isBodyGone) {
      const reason = `the body of ${id} was evicted from the journal`
      this.#judge({ id, request, differences: [], doubts: [reason], isUnknown: true })
      this.#doubts.push(reason)
      return
    }
    const entry = await this.#target.send(recorded)
    const compared = compareAnswers(recorded.answer, bundleAnswer(entry), entry.answer.body)
    const sentence = redacted.length === 0 ? [] : [`${id} was sent with redacted parts (${redacted.join(', ')})`]
    const uncompared = compared.uncompared === undefined ? [] : [compared.uncompared]
    this.#judge({
      id,
      request,
      differences: compared.differences,
      doubts: [...uncompared, ...sentence, ...this.#listDoubts()],
      isUnknown: compared.uncompared !== undefined,
      note: compared.isBodyRedacted ? "its answer's body was compared without what is redacted" : undefined,
    })
    // Redacted headers decide no write; the rest of a request may.
    if (redacted.some((part) => !part.startsWith('header/'))) this.#doubts.push(...sentence)
  }

  #listDoubts(): readonly string[] {
    const more = this.#doubts.length - maxDoubts
    return more > 0
      ? [...this.#doubts.slice(0, maxDoubts), `${more} more before it could not be repeated exactly`]
      : this.#doubts
  }

  #judge({ id, request, differences, doubts, isUnknown = false, note }: Judged): void {
    const isDoubtful = differences.length > 0 ? doubts.length > 0 : isUnknown
    const verdict = isDoubtful ? 'not-judged' : differences.length > 0 ? 'differs' : 'same'
    const reasons = [...(isDoubtful ? doubts : []), ...(note === undefined ? [] : [note])]
    this.#results.push({ sandbox: this.#sandbox.name, id, request, verdict, differences, reasons })
  }
}

/** A change or a request of a sandbox. */
interface ReplayStep {
  readonly order: number
  /** The id of the request; absent for a change. */
  readonly id?: string
  readonly run: () => Promise<void>
}

interface Judged {
  readonly id: string
  readonly request: string
  readonly differences: readonly AnswerDifference[]
  /** Reasons for which a difference is not judged. */
  readonly doubts: readonly string[]
  /** True where the answers could not be compared. Default: false. */
  readonly isUnknown?: boolean
  readonly note?: string | undefined
}

/** Returns the bytes of a body; undefined where the bundle does not have them, or there is none. */
export function bytesOf({ text, base64 }: BundledBody): Uint8Array | undefined {
  if (text !== undefined) return Buffer.from(text)
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64')
}

/** Counts the verdicts. */
export function countVerdicts(results: readonly ReplayedRequest[]): Record<ReplayVerdict, number> {
  const counts = { same: 0, differs: 0, 'not-judged': 0 }
  for (const { verdict } of results) counts[verdict] += 1
  return counts
}
