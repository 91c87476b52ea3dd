import { groupBy } from '../../../base/core/group-by.ts'
import type { Contract } from '../../../service/contract/contract.ts'
import type { ObservedResponse } from '../observe/observation.ts'
import { type DriftFinding, type DriftReport, type NotJudged, NotJudgedList, type NotJudgedReason } from './finding.ts'
import { judgeStatus, type OperationSummary } from './judge-status.ts'

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
  const summaries = new Map<string, OperationSummary>()
  const partly = new NotJudgedList()
  const findings: DriftFinding[] = []
  let omitted = 0
  let compared = 0
  const onResponse = () => onProgress?.(compared++, responses.length)
  for (const operation of contract.operations) {
    const own = byOperation.get(operation.id)
    if (!own) continue
    const summary = { successes: 0, judged: 0, unreadable: new Set<string>() }
    summaries.set(operation.id, summary)
    const byStatus = [...groupBy(own, ({ status }) => status)].sort(([a], [b]) => a - b)
    for (const [status, ofStatus] of byStatus) {
      const context = { contract, operation, status, token, summary, notJudged: partly, onResponse }
      const judged = judgeStatus({ ...context, responses: ofStatus, responsesOfOperation: own.length })
      findings.push(...judged.findings)
      omitted += judged.omitted
    }
  }
  const counts = [...summaries].map(([id, summary]) => [id, summary.judged] as const)
  const judged = new Map(counts.filter(([, count]) => count > 0))
  const notJudged = [...input.notJudged, ...listTooFew(input, summaries, byOperation), ...partly.list()]
  const { title, version, file } = contract
  // Too few responses, a fault that cannot be read, and nothing judged at all are never the same.
  const isUnknown = judged.size === 0 || notJudged.some(({ reason }) => unknowns.includes(reason))
  const isDrift = findings.some((finding) => finding.isDrift)
  const verdict = isDrift ? 'drift' : isUnknown ? 'not-judged' : 'same'
  return { verdict, contract: { title, version, file }, judged, findings, omitted, notJudged }
}

const unknowns: readonly NotJudgedReason[] = ['too-few-samples', 'unreadable', 'check-stopped']

function listTooFew(
  { expected, minSamples, notJudged, howToGetMore }: DriftInput,
  summaries: ReadonlyMap<string, OperationSummary>,
  byOperation: ReadonlyMap<string, readonly ObservedResponse[]>,
): NotJudged[] {
  // If requests had no response to judge, their own reasons say what to do.
  const explained = new Set(notJudged.flatMap(({ request, operation }) => (request ? [operation] : [])))
  return [...expected].flatMap((operation): NotJudged[] => {
    const successes = summaries.get(operation)?.successes ?? 0
    if (successes >= minSamples) return []
    const statuses = (byOperation.get(operation) ?? []).map(({ status }) => status)
    const others = [...new Set(statuses)].filter((status) => status >= 300).sort()
    const seen = others.length > 0 ? ` Other responses had the status ${others.join(', ')}.` : ''
    const next = explained.has(operation) ? 'This list has the reasons of the other requests.' : howToGetMore
    const sentence = `${successes} of ${minSamples} successful responses whose body can be judged.${seen} ${next}`
    return [{ operation, reason: 'too-few-samples', request: undefined, count: statuses.length, sentence }]
  })
}
