import { groupBy } from '../../../base/core/group-by.ts'
import { redactText } from '../../../base/redaction/redact.ts'
import type { TrafficProblemKind, TrafficResponse } from '../../../server/upstream/traffic/sample.ts'
import type { Contract, Operation } from '../../../service/contract/contract.ts'
import { maxMembers, observe, type ResponseDifference } from '../observe/observe.ts'
import { breaksClients, type DriftFinding, type Tally, toFinding } from './finding.ts'

export interface JudgedResponse extends TrafficResponse {
  readonly operation: string
  /** The redacted request as shown in reports: `GET /v1/models/ID/analytics?period=7d`. */
  readonly request: string
}

export type NotJudgedReason =
  | TrafficProblemKind
  | 'redirect'
  | 'unauthorized'
  | 'rate-limited'
  | 'too-few-samples'
  | 'unreadable'
  | 'too-many-members'
  | 'check-stopped'
  | 'not-probed'
  | 'no-traffic'

export interface NotJudged {
  readonly operation: string
  readonly reason: NotJudgedReason
  /** The first request with this reason; undefined if the reason applies to the whole operation. */
  readonly request: string | undefined
  /** The number of requests with this reason; 0 if the reason applies to the whole operation. */
  readonly count: number
  readonly sentence: string
}

/** The real service's traffic, and how to judge it. */
export interface DriftInput {
  readonly responses: readonly JudgedResponse[]
  /** The IDs of the operations that need a verdict: those with planned probes, or those in the recorded traffic. */
  readonly expected: ReadonlySet<string>
  /** The minimum number of successful responses needed to judge that an operation matches the contract. */
  readonly minSamples: number
  readonly notJudged: readonly NotJudged[]
  readonly howToGetMore: string
  /** The token to redact everywhere; undefined if no token is set, or if the token is too short to redact. */
  readonly token: string | undefined
  readonly onProgress?: (compared: number, all: number) => void
}

export interface DriftReport {
  /** Whether the real service matches the contract; `not-judged` if too few responses could be judged. */
  readonly verdict: 'same' | 'drift' | 'not-judged'
  readonly contract: { readonly title: string; readonly version: string; readonly file: string }
  readonly judged: ReadonlyMap<string, number>
  readonly findings: readonly DriftFinding[]
  readonly omitted: number
  readonly notJudged: readonly NotJudged[]
}

/** The maximum number of listed differences per operation. Those that do not break clients are omitted first. */
const maxListed = 500

export function judgeDrift(contract: Contract, input: DriftInput): DriftReport {
  const byOperation = groupBy(input.responses, ({ operation }) => operation)
  const list = new NotJudgedList()
  let compared = 0
  const onResponse = () => input.onProgress?.(compared++, input.responses.length)
  const operations = contract.operations.map((operation) => {
    const responses = byOperation.get(operation.id) ?? []
    return { id: operation.id, ...judgeOperation(contract, operation, responses, input, list, onResponse) }
  })
  const findings = operations.flatMap((one) => one.findings)
  const judged = new Map(operations.filter((one) => one.judgedCount > 0).map((one) => [one.id, one.judgedCount]))
  const omitted = operations.reduce((sum, one) => sum + one.omitted, 0)
  const notJudged = [...input.notJudged, ...list.toArray()]
  const { title, version, file } = contract
  const isInconclusive = judged.size === 0 || notJudged.some(({ reason }) => inconclusiveReasons.includes(reason))
  const verdict = findings.length > 0 ? 'drift' : isInconclusive ? 'not-judged' : 'same'
  return { verdict, contract: { title, version, file }, judged, findings, omitted, notJudged }
}

const inconclusiveReasons: readonly NotJudgedReason[] = ['too-few-samples', 'unreadable', 'check-stopped']

function judgeOperation(
  contract: Contract,
  operation: Operation,
  responses: readonly JudgedResponse[],
  input: DriftInput,
  list: NotJudgedList,
  onResponse: () => void,
) {
  const { id } = operation
  const { token, expected, minSamples } = input
  const tallies = new Map<string, Tally>()
  let [successes, judgedCount] = [0, 0]
  for (const response of responses) {
    onResponse()
    const { request, body } = response
    const { differences, unreadable, isTooLarge, isComplete } = observe(contract.document, operation, response)
    countDifferences(tallies, response, differences)
    successes += Number(!isTooLarge && isSuccess(operation, response))
    judgedCount += Number(!isTooLarge && body !== undefined)
    if (isTooLarge) list.add(id, 'too-many-members', tooManyMembers, request)
    if (unreadable !== undefined) list.add(id, 'unreadable', describeUnreadable(unreadable, token), request)
    if (!isComplete) list.add(id, 'check-stopped', checkStopped, request)
  }
  if (expected.has(id) && successes < minSamples)
    list.add(id, 'too-few-samples', describeTooFew(id, successes, responses, input))
  const statuses = groupBy(responses, ({ status }) => status)
  const byEffect = [...tallies.values()].sort((one, other) => +breaksClients(other.first) - +breaksClients(one.first))
  const listed = byEffect.slice(0, maxListed)
  const findings = listed.map((tally) => {
    const possible = tally.first.kind === 'undocumented-status' ? responses : statuses.get(tally.status)
    return toFinding(tally, possible?.length ?? 0, contract, operation, token)
  })
  return { findings: findings.sort(comparePlaces), judgedCount, omitted: tallies.size - listed.length }
}

/** The maximum number of distinct values that are collected for a difference. */
const maxValues = 100

function countDifferences(
  tallies: Map<string, Tally>,
  { status, request }: JudgedResponse,
  differences: readonly ResponseDifference[],
): void {
  const counted = new Set<Tally>()
  for (const difference of differences) {
    const key = JSON.stringify([status, difference.kind, difference.pointer, difference.detail, difference.isSimulated])
    const tally = tallies.get(key) ?? { first: difference, status, request, seen: 0, values: new Map() }
    tallies.set(key, tally)
    if (difference.value !== undefined && tally.values.size < maxValues)
      tally.values.set(JSON.stringify(difference.value), difference.value)
    if (!counted.has(tally)) tally.seen += 1
    counted.add(tally)
  }
}

const isSuccess = (operation: Operation, { status, body }: JudgedResponse) =>
  status >= 200 && status < 300 && (body !== undefined || !operation.hasResponseBody(status))

const tooManyMembers =
  `The body has more than ${maxMembers.toLocaleString('en')} members and items, or more than 64 levels of nesting. ` +
  'Request less data, for example with another ID or a shorter period.'

const checkStopped =
  'The check stopped early because it found too many differences or took too long. ' +
  'Repeat it after the listed differences are fixed or added to the contract.'

const describeUnreadable = (pointer: string, token: string | undefined) =>
  `A rule is broken at ${redactText(pointer, token)}, but the value is redacted or the pointer is truncated. ` +
  'Check the value manually.'

function describeTooFew(
  operation: string,
  successes: number,
  responses: readonly JudgedResponse[],
  { minSamples, notJudged, howToGetMore }: DriftInput,
): string {
  const others = [...new Set(responses.map(({ status }) => status))].filter((status) => status >= 300).sort()
  const seen = others.length > 0 ? ` Statuses of other responses: ${others.join(', ')}.` : ''
  // If a request got no response that can be judged, its entry already says what to do.
  const isExplained = notJudged.some((one) => one.operation === operation && one.request !== undefined)
  const next = isExplained ? 'See the other entries for this operation.' : howToGetMore
  return `Successful responses that could be judged: ${successes} (required: ${minSamples}).${seen} ${next}`
}

const comparePlaces = (one: DriftFinding, other: DriftFinding) =>
  one.status - other.status || (one.pointer < other.pointer ? -1 : Number(one.pointer > other.pointer))

/** Collects the operations and requests that were not judged, with one entry per operation and reason. */
export class NotJudgedList {
  readonly #entries = new Map<string, NotJudged>()

  add(operation: string, reason: NotJudgedReason, sentence: string, request?: string): void {
    const key = `${operation} ${reason}`
    const earlier = this.#entries.get(key) ?? { operation, reason, sentence, request, count: 0 }
    this.#entries.set(key, { ...earlier, count: earlier.count + Number(request !== undefined) })
  }

  toArray(): NotJudged[] {
    return [...this.#entries.values()]
  }
}
