import type { JournalEntry } from '../journal/entry.ts'
import type { LiveExchange } from '../journal/journal.ts'
import type { CountedParameter, OperationItems } from './coverage-items.ts'
import { collectHits } from './coverage-tree.ts'

/** What was met of one operation. */
export interface Met {
  /** Requests that met the operation, refused or not. */
  requests: number
  /** By the number of the point: 1 where it was met. */
  readonly marks: Uint8Array
}

/**
 * Which points of the contract somebody has met. Kept as it happens, so that it does not depend on what the journal has
 * dropped; as large as the contract, whatever the number of requests.
 *
 * A part of a request counts once a request with it was taken: one that was refused, for whatever reason, has shown nothing
 * of how the client uses it. An answer counts where the client got it as the contract has it: not one that was damaged on
 * purpose or cut off, and not a refusal of the simulator's own, which the service would never give.
 */
export class Coverage {
  readonly #byOperation: ReadonlyMap<string, readonly [OperationItems, Met]>

  constructor(plan: readonly OperationItems[]) {
    this.#byOperation = new Map(
      plan.map((points) => [
        points.operation.id,
        [points, { requests: 0, marks: new Uint8Array(points.items.length) }],
      ]),
    )
  }

  /** What was met of an operation; undefined where the contract has none of this id. */
  of(operation: string): Met | undefined {
    return this.#byOperation.get(operation)?.[1]
  }

  /** Marks what an exchange has met. */
  record(entry: JournalEntry, whole: LiveExchange): void {
    const found = this.#byOperation.get(entry.operation ?? '')
    if (!found) return
    const [points, met] = found
    met.requests += 1
    const { status, origin } = entry.answer
    if (origin === 'simulator') return
    if (status < 400) noteRequest(whole, points, met.marks)
    if (!isWhole(entry)) return
    const point = points.statuses.get(status)
    if (point !== undefined) met.marks[point] = 1
    for (const number of points.shownBy(status, whole.answerBody)) met.marks[number] = 1
  }

  /** Takes over what another one has met. */
  merge(other: Coverage): void {
    for (const [id, [, own]] of this.#byOperation) {
      const theirs = other.of(id)
      if (!theirs) continue
      own.requests += theirs.requests
      for (const [number, mark] of theirs.marks.entries()) if (mark === 1) own.marks[number] = 1
    }
  }
}

/** Whether the client got the answer as the contract has it; one that comes in pieces is still whole. */
function isWhole({ damage }: JournalEntry): boolean {
  return damage.every((one) => one === 'dribble')
}

function noteRequest(whole: LiveExchange, { parameters, body }: OperationItems, marks: Uint8Array): void {
  for (const parameter of parameters) {
    const group = whole.rawParameters[parameter.in]
    const sent = Object.hasOwn(group, parameter.name) ? group[parameter.name] : undefined
    if (sent !== undefined) noteParameter(parameter, sent, marks)
  }
  if (body && whole.requestBody !== undefined)
    collectHits(body, whole.requestBody, (number) => {
      marks[number] = 1
    })
}

function noteParameter(
  parameter: CountedParameter,
  sent: string | readonly string[],
  marks: Uint8Array,
): void {
  marks[parameter.number] = 1
  if (parameter.values.size === 0) return
  if (typeof sent === 'string') noteValues(parameter, sent, marks)
  else for (const text of sent) noteValues(parameter, text, marks)
}

function noteValues({ values, isList }: CountedParameter, text: string, marks: Uint8Array): void {
  for (const one of isList ? text.split(/[,|\s]/) : [text]) {
    const number = values.get(one)
    if (number !== undefined) marks[number] = 1
  }
}
