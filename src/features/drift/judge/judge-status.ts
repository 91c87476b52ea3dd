import { observeBody } from '../observe/observe-body.ts'
import { findHeaders, observeHead } from '../observe/observe-head.ts'
import { type ObservedResponse, parseBodyOf } from '../observe/response.ts'
import { AbsenceSearch } from './absences.ts'
import { countPlaces } from './count-places.ts'
import type { DriftFinding } from './finding.ts'
import type { OperationSummary } from './operation-summary.ts'
import { mergeRenames } from './renames.ts'
import { type Tally, TallyList } from './tally.ts'
import { breaksClients, type FindingContext, toFinding } from './to-finding.ts'

/** The most differences of one status of an operation that are listed, those that break clients first. */
const maxListed = 500

/** The responses of an operation with one status, and what is noted about them. */
interface StatusContext extends FindingContext {
  readonly responses: readonly ObservedResponse[]
  readonly responsesOfOperation: number
  readonly summary: OperationSummary
  /** Is called before each response is compared. */
  readonly onResponse: () => void
}

/** Compares the responses of an operation with one status. `omitted`: the number of differences beyond `maxListed`. */
export function judgeStatus(context: StatusContext): { findings: DriftFinding[]; omitted: number } {
  const { responses, summary, contract } = context
  const [first] = responses
  if (!first) return { findings: [], omitted: 0 }
  const headers = findHeaders(contract.document, first.operation, first.status)
  const list = new TallyList()
  const absences = new AbsenceSearch(responses)
  for (const response of responses) {
    context.onResponse()
    const body = parseBodyOf(response)
    const observed = body.json === undefined ? undefined : observeBody(response, body.json)
    list.add(response, [...observeHead(response, headers, body), ...(observed?.observations ?? [])])
    if (body.json !== undefined) absences.add(body.json)
    summary.add(response, body, observed)
  }
  if (list.isFull) summary.addPart('check-stopped', undefined)
  const tallies = mergeRenames(list.list())
  const places = new Set(tallies.map(({ first: { pointer } }) => pointer))
  const listed = sortByEffect(tallies).slice(0, maxListed)
  const count = createCount(context, listed)
  const findings = [
    ...listed.map((tally) => toFinding(tally, count(tally), context)),
    // A required field that is missing is a finding already.
    ...absences
      .list(headers)
      .filter(({ observation: { kind, pointer } }) => kind === 'header' || !places.has(pointer))
      .map(({ observation, of }) =>
        toFinding({ first: observation, firstResponse: first, seen: 0, values: [] }, of, context),
      ),
  ]
  return { findings: findings.sort(compareFindingPlaces), omitted: tallies.length - listed.length }
}

const compareFindingPlaces = (one: DriftFinding, other: DriftFinding) =>
  one.pointer < other.pointer ? -1 : Number(one.pointer > other.pointer)

/** Returns the differences that break clients, then the others, each in the order in which they were met. */
const sortByEffect = (tallies: readonly Tally[]) =>
  tallies.toSorted((one, other) => Number(breaksClients(other.first)) - Number(breaksClients(one.first)))

/** Returns a function that returns the number of responses that could show a difference. */
function createCount(
  { responses, responsesOfOperation }: StatusContext,
  tallies: readonly Tally[],
): (tally: Tally) => number {
  const inBodies = tallies.map(({ first }) => first).filter(({ pointer }) => pointer !== '')
  function* readBodies() {
    for (const response of inBodies.length > 0 ? responses : []) {
      const { json } = parseBodyOf(response)
      if (json !== undefined) yield json
    }
  }
  const count = countPlaces(inBodies, readBodies())
  return ({ first }) => {
    if (first.kind === 'undocumented-status') return responsesOfOperation
    return first.pointer === '' ? responses.length : count(first)
  }
}
