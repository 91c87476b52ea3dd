import type { JsonObject } from '../../core/json.ts'
import { SlicedWork } from '../../core/slices.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { redactJson } from '../../redaction/redact.ts'
import type { Bundle, BundledBody, BundledChange, BundledRequest, BundledSandbox } from '../bundle.ts'
import { bundleAnswer } from '../bundle-entry.ts'
import { type AnswerDifference, compareAnswers, findFirstDifference } from './compare-answers.ts'

/** A simulator in which a bundle is replayed. */
export interface ReplayTarget {
  /** The digest of the contract that it serves. */
  readonly contractDigest: string
  /** Sets the time of all sandboxes, sends a recorded request, and returns its entry in the journal. */
  send(request: BundledRequest): Promise<JournalEntry>
  /** Sends a request to the control plane. @returns the refusal, or undefined if the request succeeded */
  control(method: string, target: string, body?: Uint8Array): Promise<string | undefined>
  /** Returns the export of a sandbox: its events, prompts and quality settings. */
  export(sandbox: string): Promise<JsonObject>
  close(): Promise<void>
}

/** The outcome of a comparison; `not-judged` if the bundle lacks something on which the answer depends. */
export type ReplayVerdict = 'same' | 'differs' | 'not-judged'

/** The result for one request, or for the state at the end (`id`: `state`). */
export interface ReplayedRequest {
  readonly sandbox: string
  readonly id: string
  /** Method, path and query, `POST /v1/events`; empty for the state. */
  readonly request: string
  readonly verdict: ReplayVerdict
  readonly differences: readonly AnswerDifference[]
  /** Sentences about parts that could not be repeated or compared. */
  readonly reasons: readonly string[]
}

/**
 * Replays the requests of a bundle, sandbox by sandbox, and returns the results in the order of the bundle. `until`:
 * the id of the last request to replay; only its sandbox is replayed then. Returns undefined if no sandbox has that
 * request. `onProgress` is called before each step, with the number of steps before it and of all steps.
 */
export async function replayBundle(
  { sandboxes }: Bundle,
  target: ReplayTarget,
  until: string | undefined,
  onProgress: (replayed: number, all: number) => void,
): Promise<readonly ReplayedRequest[] | undefined> {
  const hasUntil = ({ requests }: BundledSandbox) => requests.some(({ id }) => id === until)
  const replayed = until === undefined ? sandboxes : sandboxes.filter(hasUntil)
  if (until !== undefined && replayed.length === 0) return undefined
  const all = replayed.reduce((sum, { requests, changes }) => sum + requests.length + changes.length, 0)
  let started = 0
  const onStep = () => {
    onProgress(started, all)
    started += 1
  }
  const results: (readonly ReplayedRequest[])[] = []
  for (const sandbox of replayed) results.push(await new SandboxReplay(sandbox, target).run(until, onStep))
  return results.flat()
}

/**
 * The operations that a replay leaves out: those of the clock, since each request has its instant, and those of
 * snapshots, since a bundle has the state after each restore.
 */
const NOT_REPLAYED: ReadonlySet<string> = new Set(['putClock', 'advanceClock', 'createSnapshot', 'deleteSnapshot'])

/** Returns a sentence for each part of a sandbox's history that the bundle lacks. */
function describeMissingHistory({ start, missing }: BundledSandbox): string[] {
  const { evicted, deleted, unfinished, changes, reloaded = 0 } = missing
  return [
    ...(start.problem === undefined ? [] : [`the state at the start is not known: ${start.problem}`]),
    ...(start.redacted ? ['the state at the start was redacted'] : []),
    ...(evicted > 0 ? [`earlier requests that the journal had evicted (--journal-size): ${evicted}`] : []),
    ...(deleted > 0 ? [`earlier requests that were deleted from the journal while the state stayed: ${deleted}`] : []),
    ...(unfinished > 0 ? [`requests that had not ended when the bundle was written: ${unfinished}`] : []),
    ...(changes > 0 ? [`changes by the control plane beyond the largest number that is stored: ${changes}`] : []),
    ...(reloaded > 0 ? [`requests before a reload (--watch), whose files the bundle does not have: ${reloaded}`] : []),
  ]
}

/** The most doubts that a result names: there can be one for each request before it. */
const maxDoubts = 20

/** The replay of one sandbox. */
class SandboxReplay {
  readonly #sandbox: BundledSandbox
  readonly #target: ReplayTarget
  /** Sentences about recorded requests and changes that could not be repeated, which may cause later differences. */
  readonly #doubts: string[]
  readonly #results: ReplayedRequest[] = []

  constructor(sandbox: BundledSandbox, target: ReplayTarget) {
    this.#sandbox = sandbox
    this.#target = target
    this.#doubts = describeMissingHistory(sandbox)
  }

  async run(until: string | undefined, onStep: () => void): Promise<readonly ReplayedRequest[]> {
    const { start, changes, requests, name } = this.#sandbox
    if (start.state) await this.#import(start.state, 'the state at the start')
    const steps = [
      ...changes.map((change) => ({ order: change.order, id: undefined, run: () => this.#change(change) })),
      ...requests.map((request) => ({ order: request.order, id: request.id, run: () => this.#send(request) })),
    ]
    const work = new SlicedWork() // between two slices Node handles signals such as SIGINT
    for (const { id, run } of steps.toSorted((one, other) => one.order - other.order)) {
      onStep()
      await run()
      if (work.isDue) await work.rest()
      if (id !== undefined && id === until) return this.#results
    }
    const actual = redactJson(await this.#target.export(name))
    const difference = findFirstDifference(this.#sandbox.state, actual, '')
    const differences = difference ? [{ ...difference, part: `state${difference.part}` }] : []
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
    const sandboxQuery = operation === 'putSandbox' ? '' : `sandbox=${this.#sandbox.name}`
    const refusal = await this.#target.control(
      method,
      `${path}?${[sandboxQuery, query].filter((part) => part !== '').join('&')}`,
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
    const isBodyEvicted = body.size > 0 && !aborted && !body.unreadable && bytesOf(body) === undefined
    if (isBodyEvicted) {
      const reason = `the body of ${id} was evicted from the journal`
      this.#judge({ id, request, differences: [], doubts: [reason], isUnknown: true })
      this.#doubts.push(reason)
      return
    }
    const entry = await this.#target.send(recorded)
    const compared = compareAnswers(recorded.answer, bundleAnswer(entry), entry.answer.body)
    const redactions = redacted.length === 0 ? [] : [`${id} was sent with redacted parts (${redacted.join(', ')})`]
    const uncompared = compared.uncompared === undefined ? [] : [compared.uncompared]
    this.#judge({
      id,
      request,
      differences: compared.differences,
      doubts: [...uncompared, ...redactions, ...this.#listDoubts()],
      isUnknown: compared.uncompared !== undefined,
      note: recorded.answer.body.redacted ? "the answer's body was compared without its redacted parts" : undefined,
    })
    // A redacted header changes no record. A redacted path, query or body may, and so later answers.
    if (redacted.some((part) => !part.startsWith('header/'))) this.#doubts.push(...redactions)
  }

  #listDoubts(): readonly string[] {
    const omitted = this.#doubts.length - maxDoubts
    return omitted > 0
      ? [...this.#doubts.slice(0, maxDoubts), `${omitted} more before it could not be repeated exactly`]
      : this.#doubts
  }

  #judge({ id, request, differences, doubts, isUnknown = false, note }: StepResult): void {
    const isDoubtful = differences.length > 0 ? doubts.length > 0 : isUnknown
    const verdict = isDoubtful ? 'not-judged' : differences.length > 0 ? 'differs' : 'same'
    const reasons = [...(isDoubtful ? doubts : []), ...(note === undefined ? [] : [note])]
    this.#results.push({ sandbox: this.#sandbox.name, id, request, verdict, differences, reasons })
  }
}

/** The outcome of a step, from which its verdict follows. */
interface StepResult {
  readonly id: string
  readonly request: string
  readonly differences: readonly AnswerDifference[]
  /** Reasons why a difference may come from the replay itself; with a doubt a difference is not judged. */
  readonly doubts: readonly string[]
  /** True if the answers could not be compared. Default: false. */
  readonly isUnknown?: boolean
  readonly note?: string | undefined
}

/** Returns the bytes of a body, or undefined if it is empty or the bundle lacks its bytes. */
export function bytesOf({ text, base64 }: BundledBody): Uint8Array | undefined {
  if (text !== undefined) return Buffer.from(text)
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64')
}

/** Counts the results by their verdicts. */
export function countReplayVerdicts(results: readonly ReplayedRequest[]): Record<ReplayVerdict, number> {
  const counts = { same: 0, differs: 0, 'not-judged': 0 }
  for (const { verdict } of results) counts[verdict] += 1
  return counts
}
