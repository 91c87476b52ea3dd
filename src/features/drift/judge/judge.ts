import { groupBy } from '../../../base/core/group-by.ts'
import type { Contract } from '../../../service/contract/contract.ts'
import type { ObservedResponse } from '../observe/observation.ts'
import { type DriftFinding, type DriftReport, type NotJudged, NotJudgedList, type NotJudgedReason } from './finding.ts'
import { judgeStatus } from './judge-status.ts'

/** The traffic of the real service, and the rules by which it is judged. */
export interface DriftInput {
  readonly responses: readonly ObservedResponse[]
  /** The operations on which a verdict is expected, by id: those that were probed, or that the traffic has. */
  readonly expected: ReadonlySet<string>
  /** An operation with fewer successful responses is not judged as the same. */
  readonly minSamples: number
  readonly notJudged: readonly NotJudged[]
  readonly howToGetMore: string
  /** The token of the real service, which is redacted everywhere, if any. */
  readonly token: string | undefined
  /** Is called before each response is compared, with the number of those before it. */
  readonly onProgress?: (compared: number, all: number) => void
}

/** Compares the shapes of responses with the contract, in linear time. Values never count. */
export function judgeDrift(contract: Contract, input: DriftInput): DriftReport {
  const { responses, token, onProgress } = input
  const byOperation = groupBy(responses, ({ operation }) => operation)
  const judged = new Map<string, number>()
  const partly = new NotJudgedList()
  const tooFew: NotJudged[] = []
  const findings: DriftFinding[] = []
  let omitted = 0
  let compared = 0
  const onResponse = () => onProgress?.(compared++, responses.length)
  for (const operation of contract.operations) {
    const own = byOperation.get(operation.id) ?? []
    const summary = { successes: 0, judged: 0, unreadable: new Set<string>() }
    const byStatus = [...groupBy(own, ({ status }) => status)].sort(([a], [b]) => a - b)
    for (const [status, ofStatus] of byStatus) {
      const context = { contract, operation, status, token, summary, notJudged: partly, onResponse }
      const found = judgeStatus({ ...context, responses: ofStatus, responsesOfOperation: own.length })
      findings.push(...found.findings)
      omitted += found.omitted
    }
    if (summary.judged > 0) judged.set(operation.id, summary.judged)
    tooFew.push(...listTooFew(operation.id, summary.successes, own, input))
  }
  const notJudged = [...input.notJudged, ...tooFew, ...partly.list()]
  const { title, version, file } = contract
  // Too few responses, a fault that cannot be read, and nothing judged at all are never the same.
  const isUnknown = judged.size === 0 || notJudged.some(({ reason }) => unknowns.includes(reason))
  const isDrift = findings.some((finding) => finding.isDrift)
  const verdict = isDrift ? 'drift' : isUnknown ? 'not-judged' : 'same'
  return { verdict, contract: { title, version, file }, judged, findings, omitted, notJudged }
}

const unknowns: readonly NotJudgedReason[] = ['too-few-samples', 'unreadable', 'check-stopped']

/** Returns the entry about an operation with too few successful responses, if it has. */
function listTooFew(
  operation: string,
  successes: number,
  responses: readonly ObservedResponse[],
  { expected, minSamples, notJudged, howToGetMore }: DriftInput,
): NotJudged[] {
  if (!expected.has(operation) || successes >= minSamples) return []
  const others = [...new Set(responses.map(({ status }) => status))].filter((status) => status >= 300).sort()
  const seen = others.length > 0 ? ` Other responses had the status ${others.join(', ')}.` : ''
  // If requests had no response to judge, their own reasons say what to do.
  const isExplained = notJudged.some((one) => one.operation === operation && one.request !== undefined)
  const next = isExplained ? 'This list has the reasons of the other requests.' : howToGetMore
  const sentence = `${successes} of ${minSamples} successful responses whose body can be judged.${seen} ${next}`
  return [{ operation, reason: 'too-few-samples', request: undefined, count: responses.length, sentence }]
}
