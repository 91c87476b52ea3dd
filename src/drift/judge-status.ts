import { parsePointer } from '../core/json-pointer.ts'
import { redactText } from '../redaction/redact.ts'
import { AbsenceSearch } from './absences.ts'
import type { ObservedAnswer } from './answer.ts'
import { PlaceCounter } from './count-places.ts'
import type { DriftFinding } from './finding.ts'
import type { OperationSummary } from './not-judged.ts'
import { observeBody } from './observe-body.ts'
import { type DescribedResponse, describeResponse, observeHead, readBody } from './observe-head.ts'
import { findRenames } from './renames.ts'
import { type Tally, TallyList } from './tally.ts'
import { breaksClients, type FindingContext, toFinding } from './to-finding.ts'

/** The most differences of one status of an operation that are listed, those that break clients first. */
const maxListed = 500

/** The answers of an operation with one status, and what is noted about them. */
export interface StatusContext extends FindingContext {
  readonly answers: readonly ObservedAnswer[]
  /** The number of all answers of the operation. */
  readonly answersOfOperation: number
  readonly summary: OperationSummary
  /** Is called before each answer is compared. */
  readonly onAnswer: () => void
}

/** The differences in the answers of an operation with one status. */
export interface StatusFindings {
  /** At most `maxListed` differences, and the notes. */
  readonly findings: readonly DriftFinding[]
  /** The number of further differences. */
  readonly omitted: number
}

/** Compares the answers of an operation with one status. Each body is parsed, compared and dropped again. */
export function judgeStatus(context: StatusContext): StatusFindings {
  const { answers, summary } = context
  const [first] = answers
  if (!first) return { findings: [], omitted: 0 }
  const response = describeResponse(context.contract.document, first.operation, first.status)
  const list = new TallyList()
  const absences = new AbsenceSearch(answers, response)
  for (const answer of answers) {
    context.onAnswer()
    const body = readBody(answer, response)
    const observed = body.json && observeBody(answer, body.json)
    list.add(answer, [...observeHead(answer, response, body), ...(observed?.observations ?? [])])
    absences.add(answer, body.json)
    summary.add(answer, body, observed)
  }
  if (list.isFull) summary.markUncounted()
  const tallies = list.list()
  const renames = findRenames(tallies, (answer) => readBody(answer, response).json)
  const renamed = new Set(renames.flatMap(({ missing, added }) => [missing, added]))
  const others = tallies.filter((tally) => !renamed.has(tally))
  const room = Math.max(0, maxListed - renames.length)
  const listed = sortByEffect(others).slice(0, room)
  const missing = new Set(tallies.map(({ first: { pointer } }) => pointer))
  const count = createCount(context, [...renames.map((one) => one.missing), ...listed], response)
  const findings = [
    ...renames.map(({ missing: old, added }) => {
      const name = parsePointer(added.first.pointer).at(-1) ?? ''
      const message = redactText(`is now called "${name}"`, context.token)
      const changes = { kind: 'renamed-field', detail: name, message, values: added.values } as const
      const tally = { ...old, first: { ...old.first, value: added.first.value } }
      return toFinding(tally, count(old), context, changes)
    }),
    ...listed.map((tally) => toFinding(tally, count(tally), context)),
    // A required field that is missing is a finding already.
    ...absences
      .list()
      .filter(({ observation: { kind, pointer } }) => kind === 'header' || !missing.has(pointer))
      .map(({ observation, of }) => {
        const tally = { first: observation, firstAnswer: first, seen: 0, values: [] }
        // An absence proves nothing, so it settles no assumption either.
        return toFinding(tally, of, context, { isDrift: false, breaks: false, assumption: undefined })
      }),
  ]
  return { findings: findings.sort(byPlace), omitted: others.length - listed.length }
}

const byPlace = (one: DriftFinding, other: DriftFinding) =>
  one.pointer < other.pointer ? -1 : one.pointer > other.pointer ? 1 : 0

/** Returns the differences that break clients, then the others, each in the order in which they were met. */
function sortByEffect(tallies: readonly Tally[]): Tally[] {
  const breaking = tallies.filter(({ first }) => breaksClients(first))
  return [...breaking, ...tallies.filter(({ first }) => !breaksClients(first))]
}

/** Returns a function that returns the number of answers that could show a difference. */
function createCount(
  { answers, answersOfOperation }: StatusContext,
  tallies: readonly Tally[],
  response: DescribedResponse | undefined,
): (tally: Tally) => number {
  const inBodies = tallies.filter(({ first }) => first.pointer !== '').map(({ first }) => first)
  const counter = new PlaceCounter(inBodies)
  if (inBodies.length > 0)
    for (const answer of answers) {
      const { json } = readBody(answer, response)
      if (json) counter.add(json.value)
    }
  return ({ first }) => {
    if (first.kind === 'undocumented-status') return answersOfOperation
    return first.pointer === '' ? answers.length : counter.count(first)
  }
}
