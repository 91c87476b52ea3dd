/**
 * Differences between the real service and the contract: shapes, findings, verdict, patch.
 * `judgeDrift` compares answers with the contract; `probes.ts` plans requests, and `patch.ts` proposes a change of the contract.
 */
import type { Contract } from '../contract/contract.ts'
import { parsePointer } from '../core/json-pointer.ts'
import { redactText } from '../journal/redact.ts'
import { findAbsences } from './absences.ts'
import type { ObservedAnswer } from './answer.ts'
import type { DriftFinding, DriftReport, DriftVerdict, NotJudged } from './finding.ts'
import { listUnreadable, observeBody } from './observe-body.ts'
import { leaveOutOtherMedia, observeHead } from './observe-head.ts'
import { findRenames } from './renames.ts'
import { type FindingContext, type Tally, tallyObservations, toFinding } from './tally.ts'

/** The answers of the real service, and the rules by which they are judged. */
export interface DriftInput {
  readonly answers: readonly ObservedAnswer[]
  /** The operations on which a verdict is expected, by id: those that were probed, or that the traffic has. */
  readonly expected: ReadonlySet<string>
  /** The fewest successful answers of an operation, below which it is not judged as the same. */
  readonly minSamples: number
  /** Requests about which nothing is said. */
  readonly notJudged: readonly NotJudged[]
  /** A sentence that says how to get more answers. */
  readonly howToGetMore: string
  /** The token of the real service, which is redacted everywhere; undefined: none. */
  readonly token: string | undefined
}

/** The number of new values from which a list of the contract seems to be open: one or two are findings of their own. */
const noListFrom = 3

/** Compares the shapes of answers with the contract. Values never count. */
export function judgeDrift(contract: Contract, given: DriftInput): DriftReport {
  const answers = given.answers.map((answer) => leaveOutOtherMedia(contract.document, answer))
  const input = { ...given, answers }
  const findings = contract.operations.flatMap((operation) => {
    const answers = input.answers.filter((answer) => answer.operation.id === operation.id)
    return judgeOperation({ contract, answers, token: input.token })
  })
  const notJudged = [...input.notJudged, ...findTooFew(input), ...findUnreadable(input)]
  const judged = countJudged(input)
  const { title, version, file } = contract
  return {
    verdict: decide(findings, notJudged, judged),
    contract: { title, version, file },
    judged,
    findings,
    notJudged,
  }
}

/** Returns the verdict. An operation with too few answers, a fault that cannot be read, and nothing judged at all are never the same. */
function decide(
  findings: readonly DriftFinding[],
  notJudged: readonly NotJudged[],
  judged: ReadonlyMap<string, number>,
): DriftVerdict {
  if (findings.some(({ isDrift }) => isDrift)) return 'drift'
  const isUnknown =
    judged.size === 0 ||
    notJudged.some(({ reason }) => reason === 'too-few-samples' || reason === 'unreadable')
  return isUnknown ? 'not-judged' : 'same'
}

/** Counts the answers that are compared whole. Of one whose body is not known, only status and headers are. */
function countJudged({ answers }: DriftInput): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { operation, bytes } of answers)
    if (bytes !== undefined) counts.set(operation.id, (counts.get(operation.id) ?? 0) + 1)
  return counts
}

function findTooFew({ answers, expected, minSamples, notJudged, howToGetMore }: DriftInput): NotJudged[] {
  return [...expected].flatMap((operation): NotJudged[] => {
    const own = answers.filter((answer) => answer.operation.id === operation)
    const count = own.filter(isSuccess).length
    if (count >= minSamples) return []
    const others = [...new Set(own.map(({ status }) => status).filter((status) => status >= 300))].sort()
    // Where requests had no answer to judge, their own reasons say what to do.
    const hasReason = notJudged.some((one) => one.operation === operation && one.request !== undefined)
    const next = hasReason ? 'This list has the reasons of the other requests.' : howToGetMore
    const seen = others.length > 0 ? ` Other answers had the status ${others.join(', ')}.` : ''
    const sentence = `${count} of ${minSamples} successful answers whose body can be judged.${seen} ${next}`
    return [{ operation, reason: 'too-few-samples', request: undefined, count: own.length, sentence }]
  })
}

/** Lists the operations whose answers break rules with values that cannot be read. */
function findUnreadable({ answers, token }: DriftInput): NotJudged[] {
  const found = new Map<string, { places: Set<string>; requests: string[] }>()
  for (const answer of answers) {
    const places = listUnreadable(answer)
    if (places.length === 0) continue
    const { id } = answer.operation
    const entry = found.get(id) ?? { places: new Set(), requests: [] }
    for (const place of places) entry.places.add(redactText(place, token))
    entry.requests.push(redactText(answer.request, token))
    found.set(id, entry)
  }
  return [...found].map(([operation, { places, requests }]) => ({
    operation,
    reason: 'unreadable',
    request: requests[0],
    count: requests.length,
    sentence: `A rule is broken at ${[...places].join(', ')}, where the value is redacted, or the place too long to be shown. Compare it by hand.`,
  }))
}

/** Returns true for a success whose body is known, of another media type than JSON, or by the contract not there. */
function isSuccess({ operation, status, body, bytes, problem }: ObservedAnswer): boolean {
  if (status < 200 || status >= 300) return false
  if (body !== undefined || bytes === undefined) return body !== undefined
  return !operation.hasResponseBody(status) || (problem === undefined && bytes.length > 0)
}

function judgeOperation(context: FindingContext): DriftFinding[] {
  const statuses = [...new Set(context.answers.map(({ status }) => status))].sort((a, b) => a - b)
  return statuses.flatMap((status) => judgeStatus(context, status))
}

function judgeStatus(context: FindingContext, status: number): DriftFinding[] {
  const { document } = context.contract
  const answers = context.answers.filter((answer) => answer.status === status)
  const observed = answers.map((answer) => ({
    answer,
    observations: [...observeHead(document, answer), ...observeBody(answer)],
  }))
  const tallies = tallyObservations(observed)
  const renames = findRenames(tallies)
  const renamed = new Set(renames.flatMap(({ missing, added }) => [missing, added]))
  const others = tallies.filter((tally) => !renamed.has(tally))
  const findings = [
    ...renames.map(({ missing, added }) => {
      const name = parsePointer(added.first.pointer).at(-1) ?? ''
      const message = redactText(`is now called "${name}"`, context.token)
      const changes = { kind: 'renamed-field', detail: name, message, values: added.values } as const
      return toFinding(
        { ...missing, first: { ...missing.first, value: added.first.value } },
        context,
        changes,
      )
    }),
    ...mergeLists(others).map((tally) => toFinding(tally, context)),
  ]
  // A required field that is missing is a finding already.
  const missing = new Set(tallies.map(({ first }) => first.pointer))
  const absences = findAbsences(document, answers).filter(
    ({ observation }) => observation.kind === 'header' || !missing.has(observation.pointer),
  )
  const notes = absences.map(({ observation, of }) => {
    const [firstAnswer] = answers
    if (!firstAnswer) throw new Error('an absence was found in no answers')
    const tally = { first: observation, firstAnswer, answers: new Set<ObservedAnswer>(), values: [] }
    // An absence proves nothing, so it settles no assumption either.
    return toFinding(tally, context, { isDrift: false, breaks: false, of, assumption: undefined })
  })
  return [...findings, ...notes].sort(byPlace)
}

const byPlace = (one: DriftFinding, other: DriftFinding) =>
  one.pointer < other.pointer ? -1 : one.pointer > other.pointer ? 1 : 0

/** Merges the new values of a list into one difference where they are so many that the list seems to be open. */
function mergeLists(tallies: readonly Tally[]): Tally[] {
  const byList = new Map<string, Tally[]>()
  for (const tally of tallies) {
    const { kind, pointer, isSimulated, keyword } = tally.first
    const key = kind === 'enum-value' && keyword === 'enum' ? `${pointer} ${isSimulated}` : ''
    if (key !== '') byList.set(key, [...(byList.get(key) ?? []), tally])
  }
  const merged = new Map([...byList].filter(([, list]) => list.length >= noListFrom))
  const dropped = new Set([...merged.values()].flat())
  return [...tallies.filter((tally) => !dropped.has(tally)), ...[...merged.values()].map(mergeTallies)]
}

function mergeTallies(list: readonly Tally[]): Tally {
  const [first] = list
  if (!first) throw new Error('no values are merged')
  const message = `has ${list.length} values that the contract does not list`
  return {
    ...first,
    first: { ...first.first, kind: 'no-enum', detail: '', message },
    answers: new Set(list.flatMap(({ answers }) => [...answers])),
    values: list.flatMap(({ values }) => values),
  }
}
