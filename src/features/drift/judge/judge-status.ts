import type { JsonSize } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import { redactText } from '../../../base/redaction/redact.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import {
  bodyBounds,
  createObservation,
  isAboutMember,
  type Observation,
  type ObservedResponse,
  type ParsedBody,
  parseBodyOf,
} from '../observe/observation.ts'
import { listObjects, nothingObserved, type ObservedBody, observeBody } from '../observe/observe-body.ts'
import { type DocumentedHeader, findHeaders, observeHead } from '../observe/observe-head.ts'
import { parentOf } from '../observe/places.ts'
import type { DriftFinding, NotJudgedList } from './finding.ts'
import { mergeRenames } from './renames.ts'
import { PlaceCounts, type Tally, TallyList } from './tally.ts'
import { breaksClients, type FindingContext, toFinding } from './to-finding.ts'

/** The most differences of one status of an operation that are listed, those that break clients first. */
const maxListed = 500

export interface OperationSummary {
  /** The number of successful responses whose body can be judged. */
  successes: number
  /** The number of responses that were compared whole: those whose body is known. */
  judged: number
  readonly unreadable: Set<string>
}

interface StatusContext extends FindingContext {
  readonly responses: readonly ObservedResponse[]
  readonly responsesOfOperation: number
  readonly summary: OperationSummary
  readonly notJudged: NotJudgedList
  /** Is called before each response is compared. */
  readonly onResponse: () => void
}

/** Compares the responses of an operation with one status. `omitted`: the number of differences beyond `maxListed`. */
export function judgeStatus(context: StatusContext): { findings: DriftFinding[]; omitted: number } {
  const { contract, operation, status, responses } = context
  const headers = findHeaders(contract.document, operation, status)
  const counts = new PlaceCounts()
  const tallies = tallyDifferences(context, headers, counts)
  const listed = sortByEffect(tallies).slice(0, maxListed)
  const countPossible = ({ kind, pointer }: Observation) => {
    if (kind === 'undocumented-status') return context.responsesOfOperation
    if (pointer === '') return responses.length
    return isAboutMember(kind) ? counts.at(parentOf(pointer)).objects : counts.at(pointer).values
  }
  // A required field that is missing is a finding already.
  const places = new Set(tallies.map(({ first: { pointer } }) => pointer))
  const absentFields = findAbsentFields(operation, status, responses, counts)
  const absences = [
    ...absentFields.filter(({ pointer }) => !places.has(pointer)),
    ...findAbsentHeaders(headers ?? [], responses),
  ].map((first) => ({ first, samples: responses.slice(0, 1), seen: 0, values: [] }))
  const findings = [...listed, ...absences].map((tally) => toFinding(tally, countPossible(tally.first), context))
  return { findings: findings.sort(comparePlaces), omitted: tallies.length - listed.length }
}

function tallyDifferences(
  context: StatusContext,
  headers: readonly DocumentedHeader[] | undefined,
  counts: PlaceCounts,
): Tally[] {
  const { operation, status, responses, notJudged } = context
  const list = new TallyList()
  for (const response of responses) {
    context.onResponse()
    const body = parseBodyOf(operation, response)
    const observed = body.json === undefined ? nothingObserved : observeBody(operation, status, body.json)
    list.add(response, [...observeHead(operation, response, headers, body), ...observed.observations])
    if (body.json !== undefined) counts.add(body.json)
    summarize(context, response, body, observed)
  }
  if (list.isFull) notJudged.add(operation.id, 'check-stopped', checkStopped)
  return mergeRenames(operation, list.list())
}

/** The fewest responses from which an absence is told: fewer may lack a field by chance. */
const minResponses = 5

/** Finds the optional fields that the simulator's own responses have and those of the service do not. */
function findAbsentFields(
  operation: Operation,
  status: number,
  responses: readonly ObservedResponse[],
  counts: PlaceCounts,
): Observation[] {
  const fields = new Set<string>()
  const own = responses.flatMap((response) => response.own ?? [])
  for (const { pointer, object, properties } of listObjects(own, [operation.responseSchema(status) ?? {}]))
    for (const [name, schemas] of properties)
      if (Object.hasOwn(object, name) && !schemas.some(({ deprecated }) => deprecated === true))
        fields.add(joinPointer(pointer, name))
  return [...fields].flatMap((pointer) => {
    const of = counts.at(parentOf(pointer)).objects
    if (counts.at(pointer).values > 0 || of < minResponses) return []
    const message = `is documented as optional, and the simulator sends it; it was in none of ${of} responses`
    return createObservation('absent-field', pointer, message)
  })
}

function findAbsentHeaders(
  documented: readonly DocumentedHeader[],
  responses: readonly ObservedResponse[],
): Observation[] {
  if (responses.length < minResponses) return []
  const absent = documented.filter(
    ({ name, required }) => !required && responses.every(({ headers }) => headers[name] === undefined),
  )
  return absent.map(({ name }) => {
    const message = `the header ${name} is documented; it was in none of ${responses.length} responses`
    return createObservation('header', '', message, { detail: name })
  })
}

/** Counts a response, and notes the parts that are not judged. */
function summarize(
  { operation, summary, notJudged, token }: StatusContext,
  response: ObservedResponse,
  parsed: ParsedBody,
  { unreadable, isComplete }: ObservedBody,
): void {
  const { id } = operation
  const { request } = response
  if (isSuccess(operation, response, parsed)) summary.successes += 1
  if (parsed.size) notJudged.add(id, 'too-many-members', describeSize(parsed.size), request)
  else if (response.body !== undefined) summary.judged += 1
  for (const place of unreadable) summary.unreadable.add(place)
  if (unreadable.length > 0)
    notJudged.add(id, 'unreadable', () => describeUnreadable([...summary.unreadable], token), request)
  if (!isComplete) notJudged.add(id, 'check-stopped', checkStopped, request)
}

/** Returns true for a success whose body is known, of another media type than JSON, or by the contract not there. */
function isSuccess(operation: Operation, { status, body }: ObservedResponse, parsed: ParsedBody): boolean {
  if (status < 200 || status >= 300 || parsed.size) return false
  if (parsed.json !== undefined || body === undefined) return parsed.json !== undefined
  return !operation.hasResponseBody(status) || (!parsed.isBroken && body.length > 0)
}

const checkStopped =
  'A check stopped after too many broken rules, or too long a time, so other differences may be there. ' +
  'Run it again when those that are listed are fixed or taken over.'

function describeSize({ members, levels }: JsonSize): string {
  const [got, most] = [members, bodyBounds.members].map((count) => count.toLocaleString('en'))
  return (
    `The body has ${got} members and items in ${levels.toLocaleString('en')} levels; ` +
    `at most ${most} in ${bodyBounds.levels} levels are judged. Ask for less: another id, a shorter period.`
  )
}

const maxNamedPlaces = 20

function describeUnreadable(places: readonly string[], token: string | undefined): string {
  const named = places.slice(0, maxNamedPlaces).map((place) => redactText(place, token))
  const more = places.length > named.length ? ` and ${places.length - named.length} more places` : ''
  return (
    `A rule is broken at ${named.join(', ')}${more}, where the value is redacted, or the place too long to be shown. ` +
    'Compare it by hand.'
  )
}

const comparePlaces = (one: DriftFinding, other: DriftFinding) =>
  one.pointer < other.pointer ? -1 : Number(one.pointer > other.pointer)

/** Returns the differences that break clients, then the others, each in the order in which they were met. */
const sortByEffect = (tallies: readonly Tally[]) =>
  tallies.toSorted((one, other) => Number(breaksClients(other.first)) - Number(breaksClients(one.first)))
